// A wrapper around MPI in which messages take a millisecond more than they do: what was started is
// there no sooner. Where the environment has MPI_LATENCY=calls, the millisecond begins with the
// first call of MPI after that: so do libraries that move long messages only while they are called.
// At the end the wrapper says which part of these milliseconds nobody has waited for.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <mpi.h>

namespace {

constexpr double kLatency = 1e-3;
double started = 0;  // below 0: they begin with the next call of MPI
double all = 0;      // seconds of all messages' latency
double visible = 0;  // of them, waited for

bool BeginWithCalls() {
  const char* const wish = std::getenv("MPI_LATENCY");
  return wish != nullptr && std::strcmp(wish, "calls") == 0;
}

/// Seconds until what was started is there.
double Left() {
  const double now = PMPI_Wtime();
  if (started < 0) started = now;
  return std::clamp(started + kLatency - now, 0.0, kLatency);
}

void Begin() {
  started = BeginWithCalls() ? -1 : PMPI_Wtime();
}

}  // namespace

extern "C" int MPI_Start(MPI_Request* request) {
  Begin();
  return PMPI_Start(request);
}

extern "C" int MPI_Isend(const void* data, int count, MPI_Datatype type, int rank, int tag,
                         MPI_Comm comm, MPI_Request* request) {
  Begin();
  return PMPI_Isend(data, count, type, rank, tag, comm, request);
}

extern "C" int MPI_Irecv(void* data, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  Begin();
  return PMPI_Irecv(data, count, type, rank, tag, comm, request);
}

extern "C" int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  *flag = 0;
  return Left() > 0 ? MPI_SUCCESS : PMPI_Testall(count, requests, flag, statuses);
}

extern "C" int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  if (count > 0) {
    const double left = Left();
    all += kLatency;
    visible += left;
    std::this_thread::sleep_for(std::chrono::duration<double>(left));
  }
  return PMPI_Waitall(count, requests, statuses);
}

extern "C" int MPI_Finalize() {
  int rank = 0;
  double sums[2] = {all, visible};
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("hidden %.0f%%\n", 100 * (1 - sums[1] / sums[0]));
  return PMPI_Finalize();
}
