package clitest

import (
	"context"
	"errors"
	"net"
	"net/http"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/memend/memend/agent/storesapi"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
)

// service is a server of the memory-stores API with a home of its own, .there.
type service struct {
	addr  string
	trail *engine.Trail
	api   *storesapi.Server
	http  *http.Server
}

type serviceKey struct{}

// Setup gives a script a service that is down. It is stopped at the end of the script.
func Setup(e *testscript.Env) {
	there := &service{}
	e.Values[serviceKey{}] = there
	e.Defer(func() { _ = there.down() })
}

// MemoryService starts the service, and stores its URL in $SERVICE, or stops it.
func MemoryService(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 || args[0] != "up" && args[0] != "down" {
		ts.Fatalf("usage: memory-service up|down")
	}
	s := ts.Value(serviceKey{}).(*service)
	if args[0] == "down" {
		ts.Check(s.down())
		return
	}
	ts.Check(s.up(ts.MkAbs(".there")))
	ts.Setenv("SERVICE", "http://"+s.addr)
}

func (s *service) up(home string) error {
	if s.addr == "" {
		s.addr = "127.0.0.1:0"
	}
	l, err := net.Listen("tcp", s.addr)
	if err != nil {
		return err
	}
	s.addr = l.Addr().String()
	if s.trail, err = engine.Open(context.Background(), home, versions.Options{}); err != nil {
		return errors.Join(err, l.Close())
	}
	s.api = storesapi.New(storesapi.Options{Trail: s.trail, Erase: true})
	s.http = &http.Server{Handler: s.api}
	go func(h *http.Server) { _ = h.Serve(l) }(s.http)
	return nil
}

func (s *service) down() error {
	if s.http == nil {
		return nil
	}
	err := errors.Join(s.http.Close(), s.api.Close(), s.trail.Close())
	s.http = nil
	return err
}
