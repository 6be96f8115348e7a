package ui

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
)

func TestHosted_ShowsTheStateOfItsService(t *testing.T) {
	t.Parallel()
	f := sample()
	f.upstream = versions.Remote{URL: "https://api.example.com", Store: "memstore_1"}
	s := newSim(t, f, 100, 24)
	report := func(u versions.UpstreamState) {
		u.Asked, u.Since = true, s.app.now
		s.happens(versions.Event{Upstream: &u})
	}
	s.shows("hosted…")
	report(versions.UpstreamState{})
	s.shows("hosted")
	s.hides("hosted…", "answers again")
	report(versions.UpstreamState{Trouble: versions.Offline, Err: errors.New("no route")})
	s.shows("out of reach: no route · the last known state can be read")
	s.keys("j")
	s.elapse()
	s.shows("offline since " + s.app.now.Format("15:04"))
	s.hides("out of reach", "follow: o") // new changes are not visible
	report(versions.UpstreamState{Trouble: versions.Offline, Err: errors.New("no route")})
	s.hides("out of reach") // it was reported already
	report(versions.UpstreamState{Trouble: versions.RateLimited, Until: s.app.now.Add(time.Minute), Err: errors.New("slow down")})
	s.keys("j")
	s.elapse()
	s.shows("rate limited until " + s.app.now.Add(time.Minute).Format("15:04:05"))
	report(versions.UpstreamState{Trouble: versions.Unauthorized, Err: errors.New("no")})
	s.shows("set ANTHROPIC_API_KEY")
	s.keys("j")
	s.elapse()
	s.shows("unauthorized")
	report(versions.UpstreamState{Trouble: versions.Gone, Err: versions.ErrGoneUpstream})
	s.shows("deleted at its service: the last known state can be read")
	s.keys("j")
	s.elapse()
	s.shows("deleted at its service")
	report(versions.UpstreamState{Trouble: versions.InvalidResponse, Err: errors.New("a hash that is none\x1b[2J")})
	s.shows("a hash that is none")
	s.keys("j")
	s.elapse()
	s.shows("invalid response")
	report(versions.UpstreamState{})
	s.shows("the service answers again")
	s.keys("j")
	s.elapse()
	s.shows("hosted", "follow: o")
	for _, size := range [][2]int{{40, 12}, {80, 24}} { // it has a high priority
		s = newSim(t, f, size[0], size[1])
		report(versions.UpstreamState{Trouble: versions.Offline, Err: errors.New("no route")})
		s.keys("j")
		s.elapse()
		s.shows("offline since")
		s.store.write(agent, "people/kim.md", "# Kim\n") // the count of changes has a lower priority
		s.deliver()
		s.shows("offline since")
	}
	s = newSim(t, sample(), 100, 24)
	s.hides("hosted")
}

// A new reason is reported, once, and the status line shows it where there is room.
func TestHosted_SaysWhyItIsOffline(t *testing.T) {
	t.Parallel()
	f := sample()
	f.upstream = versions.Remote{URL: "https://devbox", Store: "memstore_1"}
	since := time.Date(2026, 3, 14, 9, 30, 0, 0, time.Local)
	for _, size := range []struct {
		w, h int
		room bool
	}{{120, 36, true}, {100, 24, true}, {70, 24, false}, {40, 12, false}} {
		s := newSim(t, f, size.w, size.h)
		report := func(why string) {
			s.happens(versions.Event{Upstream: &versions.UpstreamState{Asked: true, Since: since, Trouble: versions.Offline, Err: &versions.UpstreamError{Trouble: versions.Offline, Err: errors.New(why)}}})
		}
		quiet := func() {
			s.keys("j")
			s.elapse()
		}
		short := func(why string) {
			t.Helper()
			s.shows("offline since 09:30")
			if size.room {
				s.shows("offline since 09:30 · " + why)
			} else {
				s.hides(why)
			}
			if size.w > 80 {
				s.shows("change #7 by outside")
			}
		}
		report("dial devbox:40022: No route to host")
		quiet()
		short("No route to host")
		report("dial devbox:40023: No route to host")
		if m := s.app.notices.Shown(); m != nil {
			t.Errorf("%q", m.Text) // a port is no news
		}
		report("tls: HAS CHANGED!; Host key verification failed.")
		if m := s.app.notices.Shown(); m == nil || !strings.Contains(m.Text, "HAS CHANGED") {
			t.Errorf("%+v", m)
		}
		quiet()
		short("Host key verification failed")
		report("")
		quiet()
		s.shows("offline since 09:30")
		s.hides("verification", "09:30 ·")
		s.happens(versions.Event{Upstream: &versions.UpstreamState{Asked: true}})
		s.shows("answers again")
	}
}

func TestHosted_ErrorsSayWhetherAnythingWasWritten(t *testing.T) {
	t.Parallel()
	until := time.Date(2026, 3, 14, 9, 30, 15, 0, time.Local)
	for _, c := range []struct {
		err  error
		want string
	}{
		{&versions.UpstreamError{Trouble: versions.Offline}, "nothing was written"},
		{&versions.UpstreamError{Trouble: versions.Offline, Unsure: true}, "the change may have been made"},
		{&versions.UpstreamError{Trouble: versions.RateLimited, Until: until}, "retry at 09:30:15: nothing was written"},
		{&versions.UpstreamError{Trouble: versions.Unauthorized}, "nothing was written"},
		{&versions.UpstreamError{Trouble: versions.InvalidResponse, Err: errors.New("a hash that is none")}, "a hash that is none"},
		{&versions.LaterError{Err: &versions.UpstreamError{Trouble: versions.Offline}}, "the service has it"},
		{&versions.PartlyError{Left: []memfs.Path{at("a.md"), at("b.md")}, Aside: []memfs.Path{at("aside-x")}, Change: 7, Err: &versions.UpstreamError{Trouble: versions.Offline}}, "0 of 2 memories were done, as change 7, one is at /aside-x meanwhile"},
		{&versions.PartlyError{Done: []memfs.Path{at("a.md"), at("b.md")}, Left: []memfs.Path{at("c.md")}, Change: 7, Err: &versions.UpstreamError{Trouble: versions.Offline}}, "2 of 3 memories were done, as change 7"},
	} {
		if got := wording.Why(c.err); !strings.Contains(got, c.want) {
			t.Errorf("%v: %q", c.err, got)
		}
	}
}
