package script

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/memend/memend/agent"
)

// frame is one event of a stream.
type frame struct {
	name string
	data json.RawMessage
}

func framed(name string, fields map[string]any) frame {
	fields["type"] = name
	return frame{name, marshal(fields)}
}

// pingFrame contains a space that other events lack, like the API's pings.
var pingFrame = frame{"ping", json.RawMessage(`{"type": "ping"}`)}

// stream writes a reply as events.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, out *reply, f Fault) {
	h := w.Header()
	h.Set("content-type", "text/event-stream; charset=utf-8")
	h.Set("cache-control", "no-cache")
	h.Set("request-id", requestID)
	h.Set("anthropic-ratelimit-requests-limit", "1000")
	h.Set("anthropic-ratelimit-requests-remaining", "999")
	w.WriteHeader(http.StatusOK)
	p := &player{ctx: r.Context(), w: w, flush: http.NewResponseController(w).Flush}
	if p.flush() != nil || s.wait(p, out.turn.Wait) != nil {
		return
	}
	delay := out.turn.Delay
	if delay == 0 {
		delay = s.o.Delay
	}
	for i, e := range out.frames() {
		if f.Kind != 0 && i == f.After {
			s.fail(p, f)
			return
		}
		if p.send(e) != nil || s.pause(p.ctx, delay) != nil {
			return
		}
	}
	if f.Kind != 0 {
		s.fail(p, f)
	}
}

// wait delays a turn and sends pings meanwhile.
func (s *Server) wait(p *player, d time.Duration) error {
	for d > s.o.Ping {
		if err := s.pause(p.ctx, s.o.Ping); err != nil {
			return err
		}
		if err := p.send(pingFrame); err != nil {
			return err
		}
		d -= s.o.Ping
	}
	return s.pause(p.ctx, d)
}

func (s *Server) fail(p *player, f Fault) {
	switch f.Kind {
	case Break:
		_ = p.send(frame{"error", marshal(refusal{0, f.Type, f.Message}.body())})
	case Reset:
		reset(p.w)
	case Stall:
		<-p.ctx.Done()
	case Hang:
		for s.pause(p.ctx, s.o.Ping) == nil && p.send(pingFrame) == nil {
		}
	}
}

// player writes frames and flushes each.
type player struct {
	ctx   context.Context
	w     http.ResponseWriter
	flush func() error
	n     int
	buf   []byte
}

func (p *player) send(f frame) error {
	p.buf = append(append(append(p.buf[:0], "event: "...), f.name...), "\ndata: "...)
	p.buf = append(p.buf, f.data...)
	// The API pads its events.
	for range p.n % 4 {
		p.buf = append(p.buf, ' ')
	}
	p.n++
	p.buf = append(p.buf, "\n\n"...)
	if _, err := p.w.Write(p.buf); err != nil {
		return err
	}
	if err := p.flush(); err != nil {
		return err
	}
	return p.ctx.Err()
}

// message returns a reply that isn't streamed.
func (r *reply) message() map[string]any {
	m := r.head()
	m["content"], m["stop_reason"], m["usage"] = r.content(), r.stop, r.usage
	if r.edits {
		m["context_management"] = r.context()
	}
	return m
}

func (r *reply) head() map[string]any {
	return map[string]any{
		"id": r.id, "type": "message", "role": "assistant", "model": r.model,
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil,
	}
}

func (r *reply) content() []agent.Block {
	if r.blocks == nil {
		return []agent.Block{}
	}
	return r.blocks
}

func (r *reply) context() map[string]any {
	applied := r.applied
	if applied == nil {
		applied = []agent.AppliedEdit{}
	}
	return map[string]any{"applied_edits": applied}
}

// frames returns all events of a reply. The cost of the input is known at the start, that of the output at the end.
func (r *reply) frames() []frame {
	head, u := r.head(), r.usage
	head["usage"] = map[string]any{
		"input_tokens": u.Input, "cache_creation_input_tokens": u.CacheCreation, "cache_read_input_tokens": u.CacheRead,
		"output_tokens": min(1, u.Output), "service_tier": "standard",
	}
	out := []frame{framed("message_start", map[string]any{"message": head})}
	for i, b := range r.blocks {
		start, deltas := deltas(b)
		out = append(out, framed("content_block_start", map[string]any{"index": i, "content_block": start}))
		if i == 0 {
			out = append(out, pingFrame)
		}
		if r.turn.Noise {
			out = append(out, frame{"mood", json.RawMessage(`{"type":"mood","index":0,"mood":{"is":"☀"}}`)})
		}
		for _, d := range deltas {
			out = append(out, framed("content_block_delta", map[string]any{"index": i, "delta": d}))
		}
		if r.turn.Noise {
			out = append(out, framed("content_block_delta", map[string]any{"index": i, "delta": map[string]any{"type": "mood_delta", "mood": "☂"}}))
		}
		out = append(out, framed("content_block_stop", map[string]any{"index": i}))
	}
	end := map[string]any{"delta": map[string]any{"stop_reason": r.stop, "stop_sequence": nil}, "usage": u}
	if r.edits {
		end["context_management"] = r.context()
	}
	return append(out, framed("message_delta", end), framed("message_stop", map[string]any{}))
}

// deltas returns how a block starts and the deltas that follow. A block that the API sends whole starts complete.
func deltas(b agent.Block) (start map[string]json.RawMessage, out []map[string]any) {
	_ = json.Unmarshal(b.Raw(), &start) // never fails: a block is an object
	switch b.Type {
	case agent.TypeText:
		start["text"] = json.RawMessage(`""`)
		for _, p := range pieces(b.Text) {
			out = append(out, map[string]any{"type": "text_delta", "text": p})
		}
	case agent.TypeThinking:
		signed := start["signature"]
		start["thinking"], start["signature"] = json.RawMessage(`""`), json.RawMessage(`""`)
		out = append(out, map[string]any{"type": "thinking_delta", "thinking": "", "estimated_tokens": 1})
		for _, p := range pieces(b.Text) {
			out = append(out, map[string]any{"type": "thinking_delta", "thinking": p})
		}
		out = append(out, map[string]any{"type": "signature_delta", "signature": signed})
	case agent.TypeToolUse, "server_tool_use":
		input := start["input"]
		start["input"] = json.RawMessage(`{}`)
		if string(input) == "{}" {
			return start, nil // no delta means an empty input
		}
		out = append(out, map[string]any{"type": "input_json_delta", "partial_json": ""})
		for _, p := range pieces(escaped(string(input))) {
			out = append(out, map[string]any{"type": "input_json_delta", "partial_json": p})
		}
	case agent.TypeCompaction:
		// The signature is in the start: only there do all SDKs read it.
		d := map[string]any{"type": "compaction_delta"}
		for _, key := range []string{"content", "encrypted_content"} {
			if value, ok := start[key]; ok {
				d[key], start[key] = value, json.RawMessage("null")
			}
		}
		out = append(out, d)
	}
	return start, out
}

// widths are the lengths of consecutive fragments in runes: irregular, so that words, escapes and combining characters are
// split.
var widths = []int{5, 1, 9, 3, 17, 2, 7}

func pieces(s string) (out []string) {
	r := []rune(s)
	for i := 0; len(r) > 0; i++ {
		n := min(widths[i%len(widths)], len(r))
		out = append(out, string(r[:n]))
		r = r[n:]
	}
	return out
}

// escaped writes characters beyond the first plane as two escapes, between which a fragment may end.
func escaped(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r1, r2 := utf16.EncodeRune(r); r1 != '\uFFFD' {
			b.WriteString(`\u` + hex4(r1) + `\u` + hex4(r2))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func hex4(r rune) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15]})
}
