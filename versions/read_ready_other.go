//go:build !linux

package versions

func makeReady[T any](*Trail, []T) {}
