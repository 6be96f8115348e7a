package messages

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/memend/memend/agent"
)

func readAll(r io.Reader) (out []string, err error) {
	f := newFrames(r)
	for {
		name, data, err := f.next()
		if err != nil {
			return out, err
		}
		out = append(out, fmt.Sprintf("%s=%s", name, data))
	}
}

func TestFramesAreParsedPerTheStandard(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"event: a\ndata: 1\n\n":                              "a=1",
		"event: a\r\ndata: 1\r\n\r\n":                        "a=1",
		"event:a\ndata:1\n\nevent: b\ndata:  2 \n\n":         "a=1|b= 2 ",
		": hello\n\n\n\nevent: a\nid: 7\nretry\ndata: 1\n\n": "a=1",
		"data: 1\ndata: 2\n\n":                               "=1\n2",
		"event: a\n\n":                                       "a=",
		"event: a\ndata: 1\n":                                "",
		"event: a\ndata: 1":                                  "",
		"event: a\ndata: x: y\n\n":                           "a=x: y",
		"event: a\ndata: " + strings.Repeat("z", 70000) + "\n\nevent: b\ndata: 1\n\n": "a=" + strings.Repeat("z", 70000) + "|b=1",
	} {
		got, err := readAll(strings.NewReader(in))
		if strings.Join(got, "|") != want || !errors.Is(err, io.EOF) {
			t.Errorf("%.60q is read as %.60q, %v", in, got, err)
		}
	}
}

func TestEndlessEventsAreRefused(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"x", "data: x\n"} {
		endless := io.MultiReader(strings.NewReader("event: a\ndata: "), &repeated{[]byte(strings.Repeat(line, 1<<15))})
		if _, err := readAll(endless); !errors.Is(err, errTooLong) {
			t.Errorf("%q without an end: %v", line, err)
		}
	}
}

type repeated struct{ p []byte }

func (r *repeated) Read(p []byte) (int, error) { return copy(p, r.p), nil }

// FuzzFrames: however a stream is cut into reads, the same comes out; and each event
// that was written is read.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("event: a\ndata: 1\n\n"), "n", "d")
	f.Add([]byte("event: a\r\n: c\r\ndata: 1\ndata\n\n\n"), "message_stop", "{\n}")
	f.Add([]byte("data:\n\nx"), "", "")
	f.Fuzz(func(t *testing.T, in []byte, name, data string) {
		whole, err := readAll(bytes.NewReader(in))
		if !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		for _, r := range []io.Reader{iotest.OneByteReader(bytes.NewReader(in)), iotest.DataErrReader(bytes.NewReader(in))} {
			if cut, err := readAll(r); !errors.Is(err, io.EOF) || strings.Join(cut, "\x00") != strings.Join(whole, "\x00") {
				t.Fatalf("%q is not %q", cut, whole)
			}
		}
		if strings.ContainsAny(name+data, "\r\n") {
			return
		}
		got, _ := readAll(strings.NewReader("event: " + name + "\ndata: " + data + "\n\n"))
		if want := name + "=" + data; len(got) != 1 || got[0] != want {
			t.Fatalf("%q is read as %q", want, got)
		}
	})
}

// FuzzAssembly: no stream, however wrong, ends in a panic or in a whole reply without
// message_stop; blocks that come out can be sent.
func FuzzAssembly(f *testing.F) {
	f.Add("event: message_start\ndata: {\"message\":{\"id\":\"m\"}}\n\nevent: message_stop\ndata: {}\n\n")
	f.Add("event: content_block_start\ndata: {\"content_block\":{\"type\":\"text\"}}\n\nevent: content_block_delta\ndata: {\"delta\":{\"type\":\"text_delta\",\"text\":\"x\"}}\n\nevent: content_block_stop\ndata: {}\n\n")
	f.Add("event: content_block_start\ndata: {\"content_block\":{\"type\":\"tool_use\",\"id\":\"i\",\"name\":\"n\"}}\n\nevent: content_block_delta\ndata: {\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\"}}\n\nevent: content_block_stop\ndata: {}\n\n")
	f.Add("event: content_block_start\ndata: {\"content_block\":{\"type\":\"compaction\"}}\n\nevent: content_block_delta\ndata: {\"delta\":{\"type\":\"compaction_delta\",\"content\":null}}\n\nevent: error\ndata: {}\n\n")
	f.Fuzz(func(t *testing.T, in string) {
		a := assembly{}
		r, err := a.read(t.Context(), strings.NewReader(in))
		if err == nil && !strings.Contains(in, "message_stop") {
			t.Fatal("whole without message_stop")
		}
		for _, b := range r.Content {
			if back, err := agent.ParseBlock(b.Raw()); err != nil || back.Type != b.Type {
				t.Fatalf("%s: %v", b.Raw(), err)
			}
		}
	})
}

func TestTheWatchdogWaitsForBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, dog := watch(t.Context(), time.Minute)
		defer dog.stop()
		r, w := io.Pipe()
		body := dog.guard(r)
		go func() {
			for range 10 {
				time.Sleep(59 * time.Second)
				_, _ = w.Write([]byte("."))
			}
		}()
		begin := time.Now()
		go func() { _, _ = io.Copy(io.Discard, body) }()
		<-ctx.Done()
		if got := time.Since(begin); got != 10*59*time.Second+time.Minute {
			t.Errorf("it ended after %v", got)
		}
		if err := stopped(ctx); !errors.Is(err, agent.ErrStalled) {
			t.Error(err)
		}
		_ = w.Close()
		_, quiet := watch(t.Context(), 0)
		if got := quiet.guard(r); got != io.Reader(r) {
			t.Error("it watches without a limit")
		}
		quiet.stop()
	})
}
