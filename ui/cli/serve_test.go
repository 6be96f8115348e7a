package cli

import (
	"net"
	"testing"
)

func TestServe_PrintsAReachableAddress(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"127.0.0.1:4000":   "http://127.0.0.1:4000",
		"192.168.1.7:4000": "http://192.168.1.7:4000",
		"[::1]:4000":       "http://[::1]:4000",
		"0.0.0.0:4000":     "http://127.0.0.1:4000",
		"[::]:4000":        "http://127.0.0.1:4000",
	} {
		addr, err := net.ResolveTCPAddr("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		if got := urlOf("http", addr); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}
