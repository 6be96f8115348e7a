package hosted

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/memend/memend/agent/outbound"
	"github.com/memend/memend/versions"
)

const (
	defaultURL = "https://api.anthropic.com"
	keyEnv     = "MEMEND_API_KEY"

	answerTimeout = 30 * time.Second
	maxAnswer     = 64 << 20 // bytes of one answer
)

// Service is a server of the memory-stores API.
type Service struct {
	sdk   anthropic.Client
	url   string
	own   bool // it is where the SDK goes by itself
	now   func() time.Time
	sleep sleepFunc
}

// silenceStdLog silences the standard logger, through which the SDK speaks of the environment:
// it would write over the screen.
var silenceStdLog = sync.OnceFunc(func() { log.SetOutput(io.Discard) })

// New speaks to the service at a base URL; an empty one is where the SDK would go.
// It sends nothing: credentials that are missing are found out by the first request.
func New(base string) (*Service, error) {
	silenceStdLog()
	at, err := baseURL(base)
	if err != nil {
		return nil, err
	}
	opts := []option.RequestOption{
		option.WithMaxRetries(0), option.WithRequestTimeout(answerTimeout), option.WithHTTPClient(bounded()),
	}
	sdks, err := baseURL("")
	own := err == nil && sdks == at
	if own {
		opts = append(opts, option.WithBaseURL(at))
	} else {
		key := keyFor(at)
		if key == "" {
			key = "none"
		}
		opts = append(opts, option.WithoutEnvironmentDefaults(), option.WithBaseURL(at), option.WithAPIKey(key))
	}
	return &Service{sdk: anthropic.NewClient(opts...), url: at, own: own, now: time.Now, sleep: sleep}, nil
}

// Dial gives the service that keeps a hosted store, for versions.Options.
func Dial(info versions.StoreInfo) (versions.Upstream, error) {
	s, err := New(info.Upstream.URL)
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", info.Name, err)
	}
	return s.Store(info.Upstream.Store), nil
}

// keyFor is what $MEMEND_API_KEY holds for the service at a base URL. Keys apart by
// spaces are for one host each, https://host=KEY; one without a host is for services of
// this machine, as "memend serve" is.
func keyFor(at string) string {
	to, err := url.Parse(at)
	if err != nil {
		return ""
	}
	for _, entry := range strings.Fields(os.Getenv(keyEnv)) {
		if !strings.HasPrefix(entry, "https://") && !strings.HasPrefix(entry, "http://") {
			if outbound.Loopback(to) {
				return entry
			}
			continue
		}
		base, key, _ := strings.Cut(entry, "=")
		if u, err := url.Parse(base); err == nil && u.Scheme == to.Scheme && strings.EqualFold(u.Host, to.Host) {
			return key
		}
	}
	return ""
}

// URL is the base URL.
func (s *Service) URL() string { return s.url }

// baseURL is a base URL as it is kept: without credentials, query or slash at its end.
func baseURL(base string) (string, error) {
	if base == "" {
		base = os.Getenv("ANTHROPIC_BASE_URL")
	}
	if base == "" {
		base = defaultURL
	}
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", fmt.Errorf("%w: %q is not the URL of a service: it should be as %s", versions.ErrInvalid, base, defaultURL)
	}
	if u.User != nil {
		return "", fmt.Errorf("%w: the URL of a service is kept, so it must hold no password; set $%s", versions.ErrInvalid, keyEnv)
	}
	u.RawQuery, u.Fragment = "", ""
	return strings.TrimSuffix(strings.TrimRight(u.String(), "/"), "/v1"), nil
}

// bounded is an HTTP client that reads no more of an answer than there can be, follows
// nobody elsewhere, and sends nothing that others can read.
func bounded() *http.Client {
	return &http.Client{Transport: limited{outbound.Transport(http.DefaultTransport)}}
}

type limited struct{ http.RoundTripper }

func (l limited) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := l.RoundTripper.RoundTrip(r)
	if err == nil {
		res.Body = &body{res.Body, maxAnswer}
	}
	return res, err
}

// body is an answer that ends with an error where it gets too long.
type body struct {
	io.ReadCloser
	left int64
}

func (b *body) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("its answer has more than %d MiB", maxAnswer>>20)
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
