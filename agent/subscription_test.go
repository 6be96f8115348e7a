package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memend/memend/versions"
)

// drain reads what a watcher receives until the session's end.
func drain(t *testing.T, sub *Subscription, slow time.Duration) (batches [][]Event) {
	t.Helper()
	for {
		b, err := sub.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return batches
		}
		if err != nil {
			t.Error(err)
			return batches
		}
		batches = append(batches, b)
		time.Sleep(slow)
	}
}

// shownTo is what a watcher knows: the kinds in order, and the texts put together.
func shownTo(batches [][]Event) (kinds []string, texts map[int]string) {
	texts = map[int]string{}
	for _, b := range batches {
		for _, e := range b {
			kinds = append(kinds, string(e.Kind))
			switch e.Kind {
			case Added:
				texts[e.Index] += e.Text
			case BlockEnded:
				texts[e.Index] = e.Block.Text
			case Retrying:
				clear(texts)
			}
		}
	}
	return kinds, texts
}

func TestAWatcherReceivesEverythingInOrder(t *testing.T) {
	onStage(t, func(st *stage) {
		s := st.start("")
		sub := s.Watch(st.t.Context())
		done := make(chan [][]Event)
		go func() { done <- drain(t, sub, 0) }()
		if err := s.Send("go"); err != nil {
			t.Error(err)
		}
		waitIdle()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		kinds, _ := shownTo(<-done)
		got := strings.Join(kinds, " ")
		want := "queued prompt request block_started delta delta block block_started delta delta block reply call result request block_started delta delta block reply idle session_ended"
		if i := strings.Index(got, "queued"); i < 0 || got[i:] != want {
			t.Errorf("told %s, want %s", got, want)
		}
		if _, err := s.Watch(st.t.Context()).Next(st.t.Context()); !errors.Is(err, io.EOF) {
			t.Errorf("who comes late: %v", err)
		}
	}, step{reply: says(StopToolUse, Usage{}, TextBlock("Looking."), view("a")), after: time.Second}, step{reply: says("end_turn", Usage{}, TextBlock("done")), after: time.Second})
}

func TestBatchesAreLimitedToThirtyPerSecond(t *testing.T) {
	long := strings.Repeat("text ", 1000)
	var blocks []Block
	for range 500 {
		blocks = append(blocks, TextBlock(long))
	}
	onStage(t, func(st *stage) {
		s := st.start("")
		sub := s.Watch(st.t.Context())
		done := make(chan [][]Event)
		go func() { done <- drain(t, sub, 0) }()
		began := time.Now()
		if err := s.Send("go"); err != nil {
			t.Error(err)
		}
		for s.State().Reason == "" {
			time.Sleep(time.Millisecond)
		}
		took := time.Since(began)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		batches := <-done
		if n, most := len(batches), int(took/batchEvery)+3; n > most || n < most/2 {
			t.Errorf("%d batches in %v", n, took)
		}
		if _, texts := shownTo(batches); texts[499] != long {
			t.Error("a text is not whole")
		}
	}, step{reply: says("end_turn", Usage{}, blocks...), after: time.Millisecond})
}

func TestFragmentsOfATextAreMerged(t *testing.T) {
	sub := &Subscription{wake: make(chan struct{}, 1)}
	sub.push(Event{Kind: BlockBegan, Turn: 1})
	for range 1000 {
		sub.push(Event{Kind: Added, Turn: 1, Text: "ab"})
	}
	sub.push(Event{Kind: Added, Turn: 1, Index: 1, Text: "other"})
	batch, err := sub.Next(t.Context())
	if err != nil || len(batch) != 3 || batch[1].Text != strings.Repeat("ab", 1000) || batch[2].Text != "other" {
		t.Errorf("%d events, %v", len(batch), err)
	}
	sub.push(Event{Kind: Added, Turn: 1, Text: "c"}) // goes on in the next batch
	b := TextBlock("whole")
	sub.push(Event{Kind: BlockEnded, Turn: 1, Block: &b})
	batch, err = sub.Next(t.Context())
	if err != nil || len(batch) != 1 || batch[0].Kind != BlockEnded {
		t.Errorf("a block that is finished has pieces beside it: %+v, %v", batch, err)
	}
}

func TestASlowWatcherFallsBackToTheJournal(t *testing.T) {
	t.Parallel()
	for name, flood := range map[string]func(*Subscription){
		"many events": func(sub *Subscription) {
			for i := range maxWaiting + 10 {
				sub.push(Event{Kind: Answered, Seq: int64(i + 1)})
			}
		},
		"much text": func(sub *Subscription) {
			for i := range 10 {
				b := TextBlock(strings.Repeat("x", maxWaitedText/5))
				sub.push(Event{Kind: BlockEnded, Seq: int64(i + 1), Index: i, Block: &b})
			}
		},
		"one long text": func(sub *Subscription) {
			piece := strings.Repeat("x", 1<<16)
			for range maxWaitedText/len(piece) + 3 {
				sub.push(Event{Kind: Added, Seq: 3, Text: piece})
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			sub := &Subscription{wake: make(chan struct{}, 1)}
			flood(sub)
			batch, err := sub.Next(t.Context())
			if err != nil || batch[0].Kind != Missed || batch[0].Seq == 0 {
				t.Fatalf("%+v, %v", batch[0], err)
			}
			for _, e := range batch[1:] { // what follows comes after what was missed
				if e.Kind == Missed || e.Seq < batch[0].Seq {
					t.Errorf("then %+v", e)
				}
			}
			sub.push(Event{Kind: Idle, Seq: 9999})
			if batch, err = sub.Next(t.Context()); err != nil || len(batch) != 1 || batch[0].Kind != Idle {
				t.Errorf("afterwards %+v, %v", batch, err)
			}
		})
	}
}

func TestNextStopsWithItsContextOrThatOfWatch(t *testing.T) {
	onStage(t, func(st *stage) {
		s := st.start("")
		watching, leave := context.WithCancel(st.t.Context())
		sub := s.Watch(watching)
		if err := s.Send("go"); err != nil {
			t.Error(err)
		}
		waitIdle()
		if _, err := sub.Next(st.t.Context()); err != nil {
			t.Error(err)
		}
		soon, cancel := context.WithTimeout(st.t.Context(), time.Second)
		defer cancel()
		if _, err := sub.Next(soon); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		leave()
		synctest.Wait()
		if _, err := sub.Next(st.t.Context()); !errors.Is(err, io.EOF) {
			t.Errorf("%v", err)
		}
		if len(s.subs) != 0 {
			t.Error("the session still tells who left")
		}
	})
}

// floodAPI streams so many bytes of text, piece by piece.
type floodAPI struct {
	fakeAPI
	pieces int
	piece  string
	peak   func()
}

func (f *floodAPI) Stream(ctx context.Context, r Request, report func(Delta)) (*Reply, error) {
	for i := range f.pieces { // blocks of a MiB: what is kept of a reply is not the loop's to bound
		if i%16 == 0 {
			report(Delta{Kind: BlockStarted, Type: TypeThinking})
		}
		report(Delta{Kind: TextAdded, Type: TypeThinking, Text: f.piece})
		if i%1024 == 0 {
			f.peak()
		}
	}
	return nil, &Failure{Type: "invalid_request_error", Message: "enough"}
}

// 100 MB of streamed events for a watcher that never reads and one that is slow.
func TestStreamingUsesConstantMemory(t *testing.T) {
	var most uint64
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	before := m.HeapAlloc
	api := &floodAPI{pieces: 100 << 4, piece: strings.Repeat("x", 1<<16)}
	api.peak = func() {
		runtime.GC()
		runtime.ReadMemStats(&m)
		most = max(most, m.HeapAlloc)
	}
	manager := NewManager(ManagerOptions{API: api, Settings: Settings{Model: "m", MaxTokens: 1}})
	manager.attach = func(context.Context, versions.By, []versions.Attachment) (stores, error) { return &fakeStores{}, nil }
	s, err := manager.Start(t.Context(), Start{Stores: []versions.Attachment{{}}})
	if err != nil {
		t.Fatal(err)
	}
	never, slow := s.Watch(t.Context()), s.Watch(t.Context())
	read := make(chan [][]Event)
	go func() {
		var last [][]Event
		for {
			b, err := slow.Next(context.Background())
			if err != nil {
				read <- last
				return
			}
			last = [][]Event{b}
			time.Sleep(time.Millisecond)
		}
	}()
	if err := s.Send("go"); err != nil {
		t.Fatal(err)
	}
	for s.State().Reason == "" {
		time.Sleep(time.Millisecond)
	}
	if err := manager.Close(); err != nil {
		t.Error(err)
	}
	if last := <-read; len(last) == 0 {
		t.Error("the slow one was told nothing")
	}
	if b, err := never.Next(t.Context()); err != nil || b[0].Kind != Missed {
		t.Errorf("the one that never read is told %v, %v", b, err)
	}
	if grown := int64(most) - int64(before); grown > 24<<20 {
		t.Errorf("grew by %s", fmt.Sprintf("%d MiB", grown>>20))
	}
}
