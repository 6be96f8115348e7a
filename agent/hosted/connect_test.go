package hosted_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/memend/memend/agent/hosted"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/replica"
	"github.com/memend/memend/versions/stores"
)

func (w *world) service() *hosted.Service {
	w.t.Helper()
	s, err := hosted.New(w.http.URL)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func TestOffers_NameTheReplicasOfTheirStores(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for n := range 150 { // more than a page
		if _, err := w.there.MakeStore(t.Context(), alice, versions.NewStore{Title: fmt.Sprintf("store %d", n)}); err != nil {
			t.Fatal(err)
		}
	}
	all, err := w.service().Offers(t.Context(), w.trail)
	if err != nil || len(all) != 151 {
		t.Fatalf("%d, %v", len(all), err)
	}
	for _, o := range all {
		if here := o.Name == "Team memory"; here != (o.Here.ID == w.here.Info().ID) || !here && o.Here.ID != "" {
			t.Errorf("%s is here as %+v", o.Name, o.Here)
		}
	}
}

// otherStore is another one that the service has, with some versions.
func (w *world) otherStore(n int) versions.HostedStore {
	w.t.Helper()
	info, err := w.there.MakeStore(w.t.Context(), alice, versions.NewStore{Title: "Other"})
	if err != nil {
		w.t.Fatal(err)
	}
	s, err := w.there.OpenStore(w.t.Context(), info.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	defer s.Close()
	for i := range n {
		w.write(s, fmt.Sprintf("/n%03d.md", i), "text\n")
	}
	return versions.HostedStore{ID: string(info.ID), Name: info.Title}
}

func TestConnect_InterruptedIsResumedByMirror(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	about := w.otherStore(230)
	ctx, stop := context.WithCancel(t.Context())
	var reports []versions.Progress
	info, _, err := w.service().Connect(versions.WithProgress(ctx, func(p versions.Progress) {
		reports = append(reports, p)
		if p.Of == versions.VersionsRead && p.Done >= 200 {
			stop()
		}
	}), w.trail, alice, about, "")
	if !errors.Is(err, context.Canceled) || info.ID == "" || info.Name != "other" {
		t.Fatalf("%+v, %v", info, err)
	}
	// How many come with the first page depends on the seconds that they were written in.
	early := func(p versions.Progress) bool {
		return p.Of == versions.VersionsRead && 0 < p.Done && p.Done < 200 && p.Total == 230
	}
	byDone := func(a, b versions.Progress) int { return cmp.Compare(a.Done, b.Done) }
	if i := slices.IndexFunc(reports, early); i < 0 || !slices.IsSortedFunc(reports[i:], byDone) {
		t.Errorf("it told %v", reports)
	}
	offers, err := w.service().Offers(t.Context(), w.trail)
	if err != nil || !slices.ContainsFunc(offers, func(o versions.Offer) bool { return o.ID == about.ID && o.Here.ID == info.ID }) {
		t.Errorf("%v", err)
	}
	if !replica.HomeSeen(w.trail, info.ID).IsZero() {
		t.Error("it is taken for whole")
	}
	got, err := hosted.Mirror(t.Context(), w.trail, info)
	if err != nil || got.Versions != 30 || got.Listed != 230 {
		t.Errorf("%+v, %v", got, err)
	}
	if replica.HomeSeen(w.trail, info.ID).IsZero() {
		t.Error("it is not taken for whole")
	}
}

func TestConnect_LeavesNothingIfTheHomeServesTheStore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.store, "/a.md", "one\n")
	about := versions.HostedStore{ID: string(w.store.Info().ID), Name: "Team memory"}
	self, err := engine.Open(t.Context(), w.there.Home(), versions.Options{Upstream: hosted.Dial})
	if err != nil {
		t.Fatal(err)
	}
	defer self.Close()
	info, _, err := w.service().Connect(t.Context(), self, alice, about, "again")
	if !errors.Is(err, versions.ErrHereToo) || info.ID != "" {
		t.Errorf("%+v, %v", info, err)
	}
	all, err := w.there.Stores(t.Context())
	if err != nil || len(all) != 1 {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestConnect_AcceptsHostileStoreNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	about := w.otherStore(1)
	about.Name, about.Description = "\x1b]0;evil\a"+strings.Repeat("x", 400), strings.Repeat("d", 5000)
	about.Metadata = map[string]string{"": "no key"}
	info, _, err := w.service().Connect(t.Context(), w.trail, alice, about, "")
	if err != nil || strings.ContainsAny(info.Title+info.Name, "\x1b\a") || !strings.HasPrefix(info.Title, "]0;evil") && !strings.HasPrefix(info.Title, "Other") {
		t.Errorf("%q, %q, %v", info.Name, info.Title, err)
	}
}

func TestCredentials_NameTheVariableNeverItsValue(t *testing.T) {
	w := newWorld(t)
	if s := w.service(); s.Credentials() != "" || s.Own() {
		t.Errorf("%q, own %v", s.Credentials(), s.Own())
	}
	t.Setenv("MEMEND_API_KEY", "secret")
	t.Setenv("ANTHROPIC_API_KEY", "")
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "secret")
	if s := w.service(); s.Credentials() != "MEMEND_API_KEY" {
		t.Errorf("%q", s.Credentials())
	}
	t.Setenv("ANTHROPIC_BASE_URL", w.http.URL+"/")
	if s := w.service(); s.Credentials() != "ANTHROPIC_AUTH_TOKEN" || !s.Own() {
		t.Errorf("%q, own %v", s.Credentials(), s.Own())
	}
}

// Two stores may have one name: what may have been made is not asked for again, and is
// said to be unsure.
func TestMake_NeverRepeatsARequestThatMayHaveSucceeded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before func(http.ResponseWriter)
		after  func(http.ResponseWriter)
		sent   int
		unsure bool
	}{
		"the answer is lost":      {after: cut, sent: 1, unsure: true},
		"a server's own error":    {before: status(502), sent: 1, unsure: true},
		"asked to wait, and done": {before: status(429, "retry-after", "0"), sent: 2},
		"refused":                 {before: status(400), sent: 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			n := 0
			w.wire.set(func(*http.Request) (before, after func(http.ResponseWriter)) {
				if n++; n == 1 {
					return c.before, c.after
				}
				return nil, nil
			})
			w.wire.requests()
			made, err := w.service().Make(t.Context(), w.trail, alice, "Deploy notes", "how we deploy", nil)
			if sent := len(w.wire.requests()); sent != c.sent {
				t.Errorf("%d requests, want %d", sent, c.sent)
			}
			var trouble *versions.UpstreamError
			if unsure := errors.As(err, &trouble) && trouble.Unsure; unsure != c.unsure {
				t.Errorf("unsure %v: %v", unsure, err)
			}
			if c.sent == 2 && (err != nil || made.ID == "" || made.Name != "Deploy notes" || made.Description != "how we deploy") {
				t.Errorf("%+v, %v", made, err)
			}
			if c.sent == 1 && (err == nil || made.ID != "") {
				t.Errorf("%+v, %v", made, err)
			}
		})
	}
}

func TestMake_RefusesAgentsThatDoNotAdminister(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, err := stores.Attach(t.Context(), w.trail, robot, []versions.Attachment{{Store: w.here.Info().ID}})
	if err == nil {
		err = a.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	w.wire.requests()
	for by, want := range map[versions.By]error{robot: versions.ErrAdministers, {}: versions.ErrUnidentified} {
		if _, err := w.service().Make(t.Context(), w.trail, by, "new", "", nil); !errors.Is(err, want) {
			t.Errorf("%+v: %v", by, err)
		}
		if err := replica.DeleteUpstreamStore(t.Context(), w.trail, by, w.here.Info()); !errors.Is(err, want) {
			t.Errorf("%+v: %v", by, err)
		}
	}
	if asked := w.wire.requests(); len(asked) > 0 {
		t.Errorf("the service was asked %d times", len(asked))
	}
}

// A write that hangs when somebody stops it: nobody knows whether it was done.
func TestStop_OfAHangingWriteSaysTheOutcomeIsUnknown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.here, "/a.md", "one\n")
	ctx, stop := context.WithCancel(t.Context())
	held := make(chan struct{})
	w.wire.set(func(r *http.Request) (before, after func(http.ResponseWriter)) {
		if r.Method != http.MethodPost {
			return nil, nil
		}
		return nil, func(http.ResponseWriter) { stop(); <-held }
	})
	_, err := w.here.Write(ctx, alice, path("/a.md"), []byte("two\n"), versions.Pre{})
	close(held)
	w.wire.set(nil)
	var trouble *versions.UpstreamError
	if !errors.As(err, &trouble) || !trouble.Unsure || !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	w.agree()
	if w.file("a.md") != "two\n" {
		t.Errorf("%q", w.file("a.md"))
	}
}
