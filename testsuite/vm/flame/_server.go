// SPDX-License-Identifier: GPL-2.0-or-later
// A server of HTTP that makes JSON, and its clients in the same process. It runs for so many seconds and says how many requests
// were answered. _server SECONDS
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sort"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

type bird struct {
	Name string
	Eggs int
}

func findBirds(count int) []bird {
	birds := make([]bird, 0, count)
	for i := 0; i < count; i++ {
		birds = append(birds, bird{"bird" + strconv.Itoa(i*7919%count), i % 7})
	}
	sort.Slice(birds, func(a, b int) bool { return birds[a].Name < birds[b].Name })
	return birds
}

func serveBirds(w http.ResponseWriter, r *http.Request) {
	json.NewEncoder(w).Encode(findBirds(200))
}

func main() {
	seconds, _ := strconv.Atoi(os.Args[1])
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	go http.Serve(listener, http.HandlerFunc(serveBirds))
	until := time.Now().Add(time.Duration(seconds) * time.Second)
	var answered int64
	var clients sync.WaitGroup
	for i := 0; i < 4; i++ {
		clients.Add(1)
		go func() {
			defer clients.Done()
			for time.Now().Before(until) {
				answer, err := http.Get("http://" + listener.Addr().String() + "/")
				if err != nil {
					continue
				}
				io.Copy(io.Discard, answer.Body)
				answer.Body.Close()
				atomic.AddInt64(&answered, 1)
			}
		}()
	}
	clients.Wait()
	fmt.Println(answered, "requests")
}
