package storesapi

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

var (
	loadRequests = flag.Int("load.requests", 600, "requests of the load test")
	loadSeed     = flag.Uint64("load.seed", 1, "seed of what they ask for; 0 takes one from the clock")
)

const (
	loadClients  = 8
	loadCounters = 4
)

// load is what the clients of a load test share.
type load struct {
	w        *world
	store    string
	counters []reply
	counted  [loadCounters]atomic.Int64 // acknowledged steps of each
	written  atomic.Int64               // acknowledged writes that made a version
	lost     atomic.Int64               // races
	requests atomic.Int64
}

// loadClient is one of them, with memories of its own.
type loadClient struct {
	*load
	http   *http.Client
	random *rand.Rand
	name   int
	made   int
	own    []loadOwn
}

type loadOwn struct{ id, sha string }

// ask sends a request and reads the answer, without asserting anything: it is called
// from many goroutines, and must be cheap.
func (c *loadClient) ask(method, path string, body any) (status int, object map[string]any) {
	c.requests.Add(1)
	var in io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			panic(err)
		}
		in = bytes.NewReader(raw)
	}
	req, err := http.NewRequest(method, c.w.http.URL+path, in)
	if err != nil {
		panic(err)
	}
	req.Header.Set("X-Api-Key", numbered("client %d", c.name))
	res, err := c.http.Do(req)
	if err != nil {
		c.w.Error(err)
		return 0, nil
	}
	defer func() { _ = res.Body.Close() }()
	if err := json.NewDecoder(res.Body).Decode(&object); err != nil {
		c.w.Errorf("%s %s: %v", method, path, err)
	}
	_, _ = io.Copy(io.Discard, res.Body)
	return res.StatusCode, object
}

// want asks for what must succeed.
func (c *loadClient) want(method, path string, body any) map[string]any {
	status, object := c.ask(method, path, body)
	if status != 200 {
		c.w.Errorf("%s %s: %d %v", method, path, status, object)
		return nil
	}
	return object
}

// step does one or two requests.
func (c *loadClient) step() {
	switch n := c.random.IntN(100); {
	case n < 20:
		c.count()
	case n < 40 || len(c.own) == 0:
		c.made++
		m := c.want("POST", c.store+"/memories", object{"path": fmt.Sprintf("/by/%d/%d.md", c.name, c.made), "content": c.text()})
		c.written.Add(1)
		c.own = append(c.own, loadOwn{m["id"].(string), m["content_sha256"].(string)})
	case n < 55:
		own := &c.own[c.random.IntN(len(c.own))]
		m := c.want("POST", c.store+"/memories/"+own.id, object{"content": c.text()})
		c.written.Add(1)
		own.sha = m["content_sha256"].(string)
	case n < 60:
		c.made++
		c.want("POST", c.store+"/memories/"+c.own[c.random.IntN(len(c.own))].id, object{"path": fmt.Sprintf("/by/%d/moved/%d.md", c.name, c.made)})
		c.written.Add(1)
	case n < 65:
		i := c.random.IntN(len(c.own))
		c.want("DELETE", c.store+"/memories/"+c.own[i].id+"?expected_content_sha256="+c.own[i].sha, nil)
		c.written.Add(1)
		c.own = append(c.own[:i], c.own[i+1:]...)
	case n < 80:
		own := c.own[c.random.IntN(len(c.own))]
		if m := c.want("GET", c.store+"/memories/"+own.id, nil); m["content_sha256"] != own.sha {
			c.w.Errorf("%s holds another text than was acknowledged", own.id)
		}
	case n < 88:
		c.want("GET", c.store+"/memories?depth=1&path_prefix="+fmt.Sprintf("/by/%d/", c.name), nil)
	case n < 93:
		c.want("GET", c.store+"/memories?view=full", nil)
	default:
		c.want("GET", c.store+"/memory_versions?limit=50", nil)
	}
}

func (c *loadClient) text() string {
	return fmt.Sprintf("client %d, %d: %d\n", c.name, c.made, c.random.Uint64())
}

// count adds one to a counter that all share: read, then write what was read and one
// more, if nobody else did so meanwhile.
func (c *loadClient) count() {
	i := c.random.IntN(loadCounters)
	at := c.counters[i].place()
	m := c.want("GET", at, nil)
	n := counterOf(m["content"].(string))
	// By whom is in it, or the same step of another client would be as asked already.
	next := fmt.Sprintf("%d by %d", n+1, c.name)
	switch status, answer := c.ask("POST", at, object{"content": next, "precondition": object{"type": "content_sha256", "content_sha256": m["content_sha256"]}}); status {
	case 200:
		c.counted[i].Add(1)
	case 409:
		c.lost.Add(1)
	default:
		c.w.Errorf("%d %v", status, answer)
	}
}

// counterOf is where a counter stands.
func counterOf(content string) (n int64) {
	_, _ = fmt.Sscan(content, &n)
	return n
}

// Many clients at once lose no update, each acknowledged write is a version, and the
// server's memory does not grow with what it answered.
func TestLoad(t *testing.T) {
	w := newWorld(t)
	seed := *loadSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-load.seed=%d", seed)
	l := &load{w: w, store: w.store()}
	for i := range loadCounters {
		l.counters = append(l.counters, w.memory(l.store, numbered("/counter/%d", i), "0"))
	}
	began := time.Now()
	var heap [2]uint64
	half := int64(*loadRequests) / 2
	var clients []*loadClient
	for i := range loadClients {
		clients = append(clients, &loadClient{load: l, http: &http.Client{Transport: &http.Transport{}}, random: rand.New(rand.NewPCG(seed, uint64(i))), name: i})
	}
	for part, until := range []int64{half, int64(*loadRequests)} {
		together(loadClients, func(i int) {
			for l.requests.Load() < until && !t.Failed() {
				clients[i].step()
			}
		})
		heap[part] = heapNow()
	}
	took := time.Since(began)
	for _, c := range clients {
		c.http.CloseIdleConnections()
	}
	l.agrees()
	t.Logf("%d requests by %d clients in %s: %.0f a second; %d writes, %d races lost; heap %.1f MB half way, %.1f MB at the end",
		l.requests.Load(), loadClients, took.Round(time.Millisecond), float64(l.requests.Load())/took.Seconds(), l.written.Load(), l.lost.Load(), float64(heap[0])/1e6, float64(heap[1])/1e6)
	if heap[1] > heap[0]+heap[0]/2+(4<<20) {
		t.Errorf("the heap grew from %d to %d bytes", heap[0], heap[1])
	}
}

func heapNow() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// agrees holds what the clients were told against what stands.
func (l *load) agrees() {
	w := l.w
	want := l.written.Load() + loadCounters
	for i, c := range l.counters {
		if got, acknowledged := counterOf(w.get(c.place()).str("content")), l.counted[i].Load(); got != acknowledged {
			w.Errorf("counter %d stands at %d after %d acknowledged steps", i, got, acknowledged)
		}
		want += l.counted[i].Load()
	}
	if ids, _ := w.every(l.store+"/memory_versions?limit=100", "id"); int64(len(ids)) != want {
		w.Errorf("%d versions after %d acknowledged writes", len(ids), want)
	}
}
