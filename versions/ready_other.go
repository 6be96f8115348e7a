//go:build !linux

package versions

func (t *Trail) makeReady([]Entry) {}
