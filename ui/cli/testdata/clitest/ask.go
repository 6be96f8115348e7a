// Package clitest provides commands for scripts that test memend's command line: a client
// and a server of the memory-stores API.
package clitest

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// Ask sends a request and prints the status and the response: ask METHOD URL [BODY]
// [HEADER=VALUE ...]. It waits for a server that is starting, and then sends the token of
// the home in $MEMEND_HOME, unless the headers include X-Api-Key.
func Ask(args []string) int {
	var body io.Reader
	if len(args) > 2 {
		body = strings.NewReader(args[2])
	}
	req, err := http.NewRequest(args[0], args[1], body)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for _, h := range args[min(len(args), 3):] {
		name, value, _ := strings.Cut(h, "=")
		req.Header.Set(name, value)
		if name == "Host" {
			req.Host = value
		}
	}
	send := func() (*http.Response, error) {
		if _, given := req.Header["X-Api-Key"]; !given {
			token, _ := os.ReadFile(filepath.Join(os.Getenv("MEMEND_HOME"), "token"))
			req.Header.Set("X-Api-Key", strings.TrimSpace(string(token)))
			defer req.Header.Del("X-Api-Key")
		}
		return http.DefaultClient.Do(req)
	}
	res, err := send()
	for end := time.Now().Add(10 * time.Second); errors.Is(err, syscall.ECONNREFUSED) && time.Now().Before(end); res, err = send() {
		time.Sleep(10 * time.Millisecond)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = res.Body.Close() }()
	fmt.Println(res.StatusCode)
	_, err = io.Copy(os.Stdout, res.Body)
	if err != nil {
		return 1
	}
	return 0
}

// FreePort stores an unused port in a variable: freeport NAME.
func FreePort(ts *testscript.TestScript, neg bool, args []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	_, port, err := net.SplitHostPort(l.Addr().String())
	ts.Check(errors.Join(err, l.Close()))
	ts.Setenv(args[0], port)
}
