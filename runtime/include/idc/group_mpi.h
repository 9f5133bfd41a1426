//===- group_mpi.h - a group of the processes of an MPI communicator ----===//
//
// For programs that use MPI: includes mpi.h, and needs nothing of MPI where it is not included.
//
//===----------------------------------------------------------------------===//

#ifndef IDC_GROUP_MPI_H
#define IDC_GROUP_MPI_H

#include "idc/group.h"

#include <mpi.h>

static inline int idc_gather_by_mpi(const void *send, void *receive, size_t bytes, void *user) {
  return MPI_Allgather(send, (int)bytes, MPI_BYTE, receive, (int)bytes, MPI_BYTE, *(MPI_Comm *)user) != MPI_SUCCESS;
}

/// The group of a communicator, of which each process uses the device of its current context. `*communicator` stays
/// where it is as long as the group.
static inline idc_status idc_group_of_mpi(MPI_Comm *communicator, idc_group **group) {
  int rank = 0, size = 0;
  if (MPI_Comm_rank(*communicator, &rank) != MPI_SUCCESS || MPI_Comm_size(*communicator, &size) != MPI_SUCCESS)
    return IDC_ERROR_INVALID_ARGUMENT;
  return idc_group_create(rank, size, idc_gather_by_mpi, communicator, group);
}

#endif // IDC_GROUP_MPI_H
