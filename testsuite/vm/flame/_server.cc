// SPDX-License-Identifier: GPL-2.0-or-later
// A server without a network: clients put requests into a queue, workers take them, look words up in a shared index,
// sort and join them. It runs for so many seconds and says how many requests were answered. _server SECONDS
#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <future>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

class Index {
  public:
    Index() {
        for (int i = 0; i < 5000; i++)
            words_["word" + std::to_string(i * 7919 % 5000)] = i;
    }
    int look_up(const std::string &word) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = words_.find(word);
        return found == words_.end() ? -1 : found->second++;
    }

  private:
    std::mutex mutex_;
    std::map<std::string, int> words_;
};

struct Request {
    unsigned seed;
    std::promise<std::string> answer;
};

class Queue {
  public:
    void put(Request request) {
        const std::lock_guard<std::mutex> lock(mutex_);
        requests_.push_back(std::move(request));
        filled_.notify_one();
    }
    // False: there are no more.
    bool take(Request &request) {
        std::unique_lock<std::mutex> lock(mutex_);
        filled_.wait(lock, [this] { return closed_ || !requests_.empty(); });
        if (requests_.empty()) return false;
        request = std::move(requests_.front());
        requests_.pop_front();
        return true;
    }
    void close() {
        const std::lock_guard<std::mutex> lock(mutex_);
        closed_ = true;
        filled_.notify_all();
    }

  private:
    std::mutex mutex_;
    std::condition_variable filled_;
    std::deque<Request> requests_;
    bool closed_ = false;
};

std::string join_words(const std::vector<std::pair<int, std::string>> &words) {
    std::string text;
    for (const auto &[number, word] : words)
        text += word + "=" + std::to_string(number) + " ";
    return text;
}

std::string answer_request(Index &index, unsigned seed) {
    std::minstd_rand random(seed);
    std::vector<std::pair<int, std::string>> words;
    for (int i = 0; i < 200; i++) {
        std::string word = "word" + std::to_string(random() % 6000);
        const int number = index.look_up(word);
        words.emplace_back(number, std::move(word));
    }
    std::sort(words.begin(), words.end());
    return join_words(words);
}

void work(Queue &queue, Index &index) {
    for (Request request; queue.take(request);)
        request.answer.set_value(answer_request(index, request.seed));
}

}  // namespace

int main(int argc, char **argv) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(argc > 1 ? atoi(argv[1]) : 5);
    Queue queue;
    Index index;
    std::atomic<long> answered{0};
    std::vector<std::thread> workers, clients;
    for (int i = 0; i < 3; i++)
        workers.emplace_back(work, std::ref(queue), std::ref(index));
    for (unsigned i = 0; i < 4; i++)
        clients.emplace_back([&, i] {
            for (unsigned n = i; std::chrono::steady_clock::now() < until; n += 4) {
                Request request{n, {}};
                std::future<std::string> answer = request.answer.get_future();
                queue.put(std::move(request));
                answered += !answer.get().empty();
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
        });
    for (std::thread &client : clients)
        client.join();
    queue.close();
    for (std::thread &worker : workers)
        worker.join();
    printf("%ld requests\n", answered.load());
}
