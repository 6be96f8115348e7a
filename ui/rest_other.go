//go:build !linux

package ui

func dropCode() {}
