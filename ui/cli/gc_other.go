//go:build !linux

package cli

func dropCode() {}
