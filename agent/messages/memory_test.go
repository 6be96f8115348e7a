package messages_test

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/memend/memend/agent"
)

var streamMegabytes = flag.Int("stream.megabytes", 16, "how much the service sends to a client whose memory is measured")

// Megabytes of streams, of which one turn alone is a tenth, with pings and
// events that nobody knows, leave nothing behind.
func TestMegabytesOfEventsUseConstantMemory(t *testing.T) {
	total := *streamMegabytes << 20
	const turns = 50
	delta := "event: content_block_delta\ndata: " + `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"some words of the model — ☃ "}}` + "\n\n"
	idle := "event: ping\ndata: {\"type\": \"ping\"}\n\nevent: mood\ndata: {\"type\":\"mood\",\"text\":\"" + strings.Repeat("what is this ", 40) + "\"}\n\n"
	sent := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		size := total / turns
		if sent == 0 {
			size = total / 10
		}
		w.Header().Set("content-type", stream)
		send := func(s string) { n, _ := io.WriteString(w, s); sent += n }
		send(events(`{"type":"message_start","message":{"id":"m","usage":{"input_tokens":1,"output_tokens":1}}}`, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`))
		for begin := sent; sent-begin < size; {
			send(strings.Repeat(delta, 4))
			send(strings.Repeat(idle, 4))
		}
		send(events(`{"type":"content_block_stop","index":0}`, `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}`, `{"type":"message_stop"}`))
	}))
	defer srv.Close()
	c := client(t, srv.URL)
	chars := 0
	turn := func() {
		r, err := c.Stream(t.Context(), request(), func(d agent.Delta) { chars += len(d.Text) })
		if err != nil || r.Stop != "end_turn" {
			t.Fatal(r, err)
		}
	}
	turn() // the first is the long one: connections and buffers are made
	begin, most := live(), uint64(0)
	for range turns {
		turn()
		most = max(most, live())
	}
	for sent < total {
		turn()
	}
	most = max(most, live())
	grown := int64(most) - int64(begin)
	t.Logf("%d MB, %d MB of text; live heap %d KB, at most %+d KB more", sent>>20, chars>>20, begin>>10, grown>>10)
	if grown > 1<<20 {
		t.Errorf("the live heap grew by %d KB", grown>>10)
	}
	if sent < total {
		t.Errorf("only %d bytes came", sent)
	}
}

func live() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func BenchmarkStream(b *testing.B) {
	const n = 10000
	var s strings.Builder
	s.WriteString(events(`{"type":"message_start","message":{"id":"m","usage":{"input_tokens":1,"output_tokens":1}}}`, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`))
	for range n {
		s.WriteString(events(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" some words"}}`))
	}
	s.WriteString(events(`{"type":"content_block_stop","index":0}`, `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}`, `{"type":"message_stop"}`))
	c := raw(b, stream, s.String())
	b.ReportAllocs()
	for b.Loop() {
		if r, err := c.Stream(b.Context(), request(), nil); err != nil || len(r.Content[0].Text) != n*11 {
			b.Fatal(fmt.Sprint(err))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/event")
}
