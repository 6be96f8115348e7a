package mcp

import (
	"context"
	"errors"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// notifyDelay is the pause after each round of notifications; changes during it are reported
// together. It is longer than the SDK's own debounce, which steady changes would extend for
// ever.
const notifyDelay = 25 * time.Millisecond

// opened watches a store until the server ends. When it returns, every later change is seen:
// the call that opened the store may make the first one.
func (s *Server) opened(at place) {
	events, err := at.store.Watch(s.life)
	if err != nil {
		if s.life.Err() == nil {
			s.o.Log.Error("clients are not notified of changes", "store", at.store.Info().Name, "error", err)
		}
		return
	}
	s.watching.Add(1)
	s.o.Trail.Go(func() {
		defer s.watching.Done()
		s.notify(at, events)
	})
}

func (s *Server) notify(at place, events <-chan versions.Event) {
	for e := range events {
		if e.Err != nil {
			s.o.Log.Warn("the store can't be read at the moment", "store", at.store.Info().Name, "error", e.Err)
		}
		if s.notifyOf(at, e) {
			select {
			case <-time.After(notifyDelay):
			case <-s.life.Done():
			}
		}
	}
}

// notifyOf notifies clients of an event, and reports whether there was anything to send.
func (s *Server) notifyOf(at place, e versions.Event) bool {
	if !e.Reload && len(e.Changes) == 0 {
		return false
	}
	touched := map[memfs.Path]bool{}
	list := e.Reload
	for _, c := range e.Changes {
		_, made, err := at.store.Change(s.life, c.Number)
		if err != nil {
			e.Reload, list = true, true
			break
		}
		for _, v := range made {
			if v.Operation != versions.Modified || v.Renamed() {
				list = true
			}
			touched[at.outside(v.Path)] = true
			if v.Renamed() {
				touched[at.outside(v.From)] = true
			}
		}
	}
	for _, uri := range s.wanted(func(p memfs.Path) bool { return touched[p] || e.Reload && p.In(at.mount) }) {
		// It fails for a client that has just disconnected.
		_ = s.sdk.ResourceUpdated(s.life, &mcp.ResourceUpdatedNotificationParams{URI: uri})
	}
	if list {
		s.addTemplate()
	}
	return true
}

// wanted returns the subscribed URIs, as clients wrote them, whose paths match.
func (s *Server) wanted(which func(memfs.Path) bool) (uris []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := map[string]bool{}
	for _, c := range s.callers {
		c.mu.Lock()
		for uri := range c.subs {
			if p, err := pathOf(uri); err == nil && !seen[uri] && which(p) {
				seen[uri] = true
				uris = append(uris, uri)
			}
		}
		c.mu.Unlock()
	}
	return uris
}

// maxSubscriptions is the maximum number of subscriptions of a client.
const maxSubscriptions = 10_000

// subscribe accepts any memory, even one that does not exist yet.
func (s *Server) subscribe(_ context.Context, req *mcp.SubscribeRequest) error {
	if _, err := pathOf(req.Params.URI); err != nil {
		return mcp.ResourceNotFoundError(req.Params.URI)
	}
	c := s.caller(req.Session)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.subs) >= maxSubscriptions {
		return errors.New("there are too many subscriptions; drop some first")
	}
	c.subs[req.Params.URI] = true
	return nil
}

func (s *Server) unsubscribe(_ context.Context, req *mcp.UnsubscribeRequest) error {
	c := s.caller(req.Session)
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.subs, req.Params.URI)
	return nil
}
