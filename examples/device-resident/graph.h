#ifndef GRAPH_H
#define GRAPH_H

#include <functional>

struct CUstream_st;

/// Captures the work that `queue` gives to a stream as one CUDA graph, launches that `times` times
/// and waits. Throws std::runtime_error where CUDA fails.
void Replay(int times, const std::function<void(CUstream_st*)>& queue);

#endif
