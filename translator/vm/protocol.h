// SPDX-License-Identifier: GPL-2.0-or-later
// The protocol between stap-vm and the agent that is process 1 of its guest.
//
// Four virtio-serial ports. stdin, stdout and stderr carry the command's bytes and nothing else; `control` carries
// frames in both directions: a FrameHeader, then `length` bytes of payload. Both sides run on the same machine, so
// integers are in its byte order. Since streams and control are separate queues, a message about a stream's end says
// how many bytes the stream has carried since boot; the receiver waits until it has seen that many.
#pragma once

#include <cstdint>

namespace tapir::vm {

inline constexpr uint32_t protocol_version = 1;
inline constexpr char port_control[] = "tapir.control";
inline constexpr char port_stdin[] = "tapir.stdin";
inline constexpr char port_stdout[] = "tapir.stdout";
inline constexpr char port_stderr[] = "tapir.stderr";
inline constexpr char agent_config[] = "/tapir.conf";  // in the initramfs, see agent/config.h
inline constexpr uint32_t max_frame = 1u << 20;        // longest payload

enum class FrameType : uint32_t {
    // To the guest.
    Run = 1,     // RunHeader, then zero-terminated strings: working directory, arguments, environment
    Signal,      // SignalPayload
    WindowSize,  // WindowSizePayload
    StdinEnd,    // uint64: bytes of stdin since boot; the command's stdin is closed after them
    // To the host.
    Hello = 32,  // uint32 protocol_version: the agent runs and has found its ports
    Ready,       // the root file system is there; payload: the kernel's release
    Failed,      // text: the guest cannot be used, or the command could not be started (then ExitPayload follows)
    Exit,        // ExitPayload: the command has ended and all it wrote has been sent
    Alive,       // every two seconds: user space of the guest is being scheduled
    KernelLog,   // one record: "<priority>,<sequence>,<microseconds>,-;text"
};

struct FrameHeader {
    uint32_t type;
    uint32_t length;
};

inline constexpr uint32_t run_terminal = 1;  // stdin and stdout on a pseudo terminal, stderr too
inline constexpr uint32_t run_no_stdin = 2;  // stdin is /dev/null

struct RunHeader {
    uint32_t flags;
    uint32_t argument_count;
    uint32_t environment_count;
    uint16_t rows, columns;  // of the terminal
    uint64_t stdin_start;    // bytes of stdin that belonged to earlier commands
};

struct SignalPayload {
    uint32_t signal;
    uint32_t group;  // 1: to every process of the command's group, as a terminal does; 0: to the command only
};

struct WindowSizePayload {
    uint16_t rows, columns;
};

struct ExitPayload {
    uint32_t status;  // of waitpid()
    uint32_t padding;
    uint64_t stdout_bytes;  // since boot
    uint64_t stderr_bytes;
};

}  // namespace tapir::vm
