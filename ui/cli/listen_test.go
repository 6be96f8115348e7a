package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
)

// A request that is being answered when the server is told to end is finished; one whose
// body has not come is cut off without waiting for that.
func TestTheEndFinishesRequestsAndCutsBodies(t *testing.T) {
	begun, release := make(chan string, 2), make(chan struct{})
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun <- r.URL.Path
		if _, err := io.ReadAll(r.Body); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		<-release
		fmt.Fprint(w, "done")
	})
	p := &program{err: io.Discard}
	d := &door{log: slog.New(slog.DiscardHandler)}
	s, err := p.listen(t.Context(), d, &listening{address: "127.0.0.1:0"}, handler)
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.answer(ctx, d) }()
	type answer struct {
		text string
		err  error
	}
	whole := make(chan answer, 1)
	go func() {
		res, err := http.Post(s.url+"/whole", "text/plain", strings.NewReader("all of it"))
		if err != nil {
			whole <- answer{"", err}
			return
		}
		b, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		whole <- answer{string(b), err}
	}()
	<-begun
	half, err := net.Dial("tcp", s.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = half.Close() }()
	fmt.Fprint(half, "POST /half HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nbegun")
	<-begun
	end()
	if line, err := bufio.NewReader(half).ReadString('\n'); err == nil && !strings.Contains(line, "400") {
		t.Errorf("half a request is answered %q", line)
	}
	close(release) // only now: the one did not wait for the other
	if a := <-whole; a.err != nil || a.text != "done" {
		t.Errorf("%+v", a)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
