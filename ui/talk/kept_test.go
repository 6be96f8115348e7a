package talk

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/versions"
)

// recordedOf records a conversation.
func recordedOf(log []agent.Event, page int) *fakeRecorded {
	k := &fakeRecorded{page: page}
	for _, ev := range log {
		if ev.IsLive() {
			continue
		}
		b, err := json.Marshal(ev)
		if err != nil {
			panic(err)
		}
		k.objects = append(k.objects, b)
	}
	return k
}

func TestRecordedConversation_IsPagedAndEqual(t *testing.T) {
	t.Parallel()
	live := newSim(t, 70, 20)
	live.morning()
	live.many(60)
	live.keys("g g")
	want := live.screen()
	for _, page := range []int{4, 5, 6, 7, 25} { // so that calls and their results are in different pages
		kept := recordedOf(live.log, page)
		s := newSim(t, 70, 20, func(c *Config) { c.Session, c.Recorded = nil, kept })
		s.v.watch = nil
		if len(s.v.blocks.items) == len(live.v.blocks.items) {
			t.Fatal("all of it was read at once")
		}
		for range 400/page + 10 {
			s.keys("g g")
		}
		if len(s.v.blocks.items) != len(live.v.blocks.items) {
			t.Fatalf("%d blocks, live there were %d", len(s.v.blocks.items), len(live.v.blocks.items))
		}
		cut := func(s string) string { return strings.Join(strings.Split(s, "\n")[:17], "\n") }
		if got := s.screen(); cut(got) != cut(want) {
			t.Errorf("kept\n%s\nlive\n%s", got, want)
		}
		if s.v.state.Total.Input != live.v.state.Total.Input || s.v.state.Total.Input == 0 {
			t.Errorf("it cost %d, live %d", s.v.state.Total.Input, live.v.state.Total.Input)
		}
		s.shows("interrupted")
		for i, it := range s.v.blocks.items {
			if it.kind == callItem && !it.call.done {
				t.Errorf("the call %d has no result", i)
			}
		}
	}
}

func TestConversationElsewhere_GrowsWithTheRecord(t *testing.T) {
	t.Parallel()
	live := newSim(t, 70, 20)
	live.many(3)
	kept := recordedOf(live.log, 50)
	s := newSim(t, 70, 20, func(c *Config) { c.Session, c.Recorded, c.Elsewhere = nil, kept, true })
	s.v.watch = nil
	s.shows("runs in another program", "turn number 2")
	live.setState(sent(), said(0, "It goes on there."), replied(10))
	kept.objects = recordedOf(live.log, 50).objects
	s.run(s.v.Grown())
	s.shows("It goes on there.")
	if why := s.v.WhyNoPrompt(); !strings.Contains(why, "another program") {
		t.Errorf("a prompt is refused because %q", why)
	}
}

// growing is a record to which another process appends right after its end was read.
type growing struct {
	*fakeRecorded
	after [][]byte
}

func (g *growing) ReadBack(id versions.SessionID, before int64) ([][]byte, int64, error) {
	objects, start, err := g.fakeRecorded.ReadBack(id, before)
	g.objects, g.after = append(g.objects, g.after...), nil
	return objects, start, err
}

// What is recorded while a conversation is opened is shown, and counts.
func TestOpening_MissesNothing(t *testing.T) {
	t.Parallel()
	live := newSim(t, 70, 20)
	live.many(3)
	n := len(recordedOf(live.log, 50).objects)
	live.setState(sent(), said(0, "Meanwhile."), replied(10), agent.Event{Kind: agent.Idle, Reason: "end_turn"})
	all := recordedOf(live.log, 50)
	kept := &growing{&fakeRecorded{objects: slices.Clip(all.objects[:n]), page: 50}, all.objects[n:]}
	s := newSim(t, 70, 20, func(c *Config) { c.Session, c.Recorded, c.Elsewhere = nil, kept, true })
	s.shows("Meanwhile.")

	s = newSim(t, 70, 20, func(c *Config) { c.Recorded = recordedOf(live.log, 50) })
	s.run(s.v.batch(slices.Clone(live.log), nil)) // the state was copied before, the record was read after these
	if got, want := s.v.state.Total.Input, live.v.state.Total.Input; got != want || s.v.state.Phase != live.v.state.Phase {
		t.Errorf("it counts %d and is %q, want %d and %q", got, s.v.state.Phase, want, live.v.state.Phase)
	}
}

func TestConversationThatIsOnlyRead_DoesNotSayWhereItRuns(t *testing.T) {
	t.Parallel()
	live := newSim(t, 70, 20)
	live.many(3)
	s := newSim(t, 70, 20, func(c *Config) { c.Session, c.Recorded, c.Record = nil, recordedOf(live.log, 50), true })
	s.shows("as far as it is recorded", "turn number 2")
	s.hides("another program", "interrupted")
	if why := s.v.WhyNoPrompt(); why != "it is only read here" {
		t.Errorf("a prompt is refused because %q", why)
	}
	live.setState(agent.Event{Kind: agent.Ended})
	s = newSim(t, 70, 20, func(c *Config) { c.Session, c.Recorded, c.Record = nil, recordedOf(live.log, 50), true })
	s.hides("as far as it is recorded")
}

func TestLongConversation_LoadsAPartAtATime(t *testing.T) {
	t.Parallel()
	live := newSim(t, 70, 20)
	kept := &fakeRecorded{page: 100}
	live.v.c.Recorded = kept
	live.many(4000)
	kept.objects = recordedOf(live.log, 100).objects
	if n := len(live.v.blocks.items); n > maxItems*5/4 {
		t.Fatalf("%d blocks are held", n)
	}
	if live.v.start != lostPlace {
		t.Fatal("nothing was left behind")
	}
	first := live.v.blocks.items[0].seq
	live.keys("g g")
	if got := live.v.blocks.items[0].seq; got >= first {
		t.Fatalf("the oldest held is event %d, was %d", got, first)
	}
	for i := 1; i < len(live.v.blocks.items); i++ {
		if live.v.blocks.items[i].seq < live.v.blocks.items[i-1].seq {
			t.Fatalf("block %d is older than the one before", i)
		}
	}
}

// Blocks that can't be read again stay when events are missed.
func TestMissedEvents_KeepWhatIsNotRecorded(t *testing.T) {
	t.Parallel()
	s := newSim(t, 70, 20)
	s.many(3)
	s.setState(agent.Event{Kind: agent.Missed})
	s.shows("turn number 2")
}

// The size of the blocks, which says when some are dropped, is that of the blocks there are.
func TestOlderBlocks_AreCounted(t *testing.T) {
	t.Parallel()
	live := newSim(t, 70, 20)
	live.many(3)
	events := recordedOf(live.log, 50).objects
	for cut := range events {
		old, now := newTranscript(), newTranscript()
		for i, ev := range eventsOf(events) {
			if i < cut {
				old.take(ev)
			} else {
				now.take(ev)
			}
		}
		now.older(old)
		want := 0
		for _, it := range now.items {
			want += it.size()
		}
		if now.bytes != want {
			t.Errorf("cut at %d: %d bytes are counted of %d", cut, now.bytes, want)
		}
	}
}
