package versions

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// muchMemory is the size from which preparing memory pays off.
const muchMemory = 1 << 20

// makeReady asks the system to allocate and clear memory before it is written, on another processor
// and in large pages where possible. Allocating each small page at its first write takes a fifth of
// the time of a listing.
func makeReady[T any](t *Trail, s []T) {
	s = s[:cap(s)]
	first := unsafe.Pointer(unsafe.SliceData(s))
	size := len(s) * int(unsafe.Sizeof(*new(T)))
	if size < muchMemory {
		return
	}
	t.Go(func() {
		b := unsafe.Slice((*byte)(first), size)
		page := unix.Getpagesize()
		b = b[-int(uintptr(first))&(page-1):]
		b = b[:len(b)&^(page-1)]
		_ = unix.Madvise(b, unix.MADV_HUGEPAGE)
		_ = unix.Madvise(b, unix.MADV_POPULATE_WRITE) // old kernels don't support it
	})
}
