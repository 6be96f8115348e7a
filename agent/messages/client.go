package messages

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/agent/outbound"
)

// Options configures a Client. Without a BaseURL, the SDK reads everything from the environment: ANTHROPIC_API_KEY,
// ANTHROPIC_AUTH_TOKEN, a profile or federation; ANTHROPIC_BASE_URL; ANTHROPIC_CUSTOM_HEADERS.
type Options struct {
	BaseURL string // with APIKey; nothing is read from the environment then
	APIKey  string
	// XAPIKey sends the key in the header x-api-key too, where it was before version
	// 2026-10-21 and where some gateways look for it alone.
	XAPIKey bool
}

// Client is a client of the Messages API. It implements agent.API.
type Client struct {
	sdk anthropic.Client
}

var _ agent.API = (*Client)(nil)

// askTimeout is the time limit of a reply that isn't streamed. Without one the SDK refuses requests whose replies may
// take long.
const askTimeout = 10 * time.Minute

// maxAnswer is the maximum size in bytes of a response, which is several times what the longest reply needs.
const maxAnswer = 64 << 20

// silenceStdLog silences the standard logger, to which the SDK writes about the environment (two credentials, a profile
// with unknown fields): its output would appear on the screen.
var silenceStdLog = sync.OnceFunc(func() { log.SetOutput(io.Discard) })

// New returns a client. It sends nothing, so missing credentials are reported by the first request.
func New(o Options) (*Client, error) {
	silenceStdLog()
	opts := []option.RequestOption{option.WithMaxRetries(0), option.WithHTTPClient(&http.Client{Transport: outbound.Transport(http.DefaultTransport, maxAnswer)})}
	key := o.APIKey
	switch {
	case o.BaseURL != "" && key == "":
		return nil, fmt.Errorf("%w: a base URL is given without a key", agent.ErrNoCredentials)
	case o.BaseURL != "":
		opts = append(opts, option.WithoutEnvironmentDefaults(), option.WithBaseURL(o.BaseURL), option.WithAPIKey(key))
	case key != "":
		opts = append(opts, option.WithAPIKey(key))
	default:
		key = os.Getenv("ANTHROPIC_API_KEY")
	}
	if o.XAPIKey && key != "" {
		opts = append(opts, option.WithHeader("x-api-key", key))
	}
	return &Client{sdk: anthropic.NewClient(opts...)}, nil
}

// Stream implements agent.API.
func (c *Client) Stream(ctx context.Context, r agent.Request, report func(agent.Delta)) (*agent.Reply, error) {
	ctx, dog := watch(ctx, r.Idle)
	defer dog.stop()
	var res *http.Response
	stream := c.sdk.Beta.Messages.NewStreaming(ctx, newParams(r), option.WithResponseInto(&res))
	if err := stream.Err(); err != nil {
		return nil, failure(ctx, err)
	}
	defer res.Body.Close()
	if t := res.Header.Get("content-type"); !strings.HasPrefix(t, "text/event-stream") {
		return nil, fmt.Errorf("the API answered with %q instead of an event stream", t)
	}
	a := assembly{emit: report, requestID: res.Header.Get("request-id")}
	return a.read(ctx, dog.guard(res.Body))
}

// Ask sends a request and waits for the complete reply.
func (c *Client) Ask(ctx context.Context, r agent.Request) (*agent.Reply, error) {
	var raw []byte
	_, err := c.sdk.Beta.Messages.New(ctx, newParams(r), option.WithRequestTimeout(askTimeout), option.WithResponseBodyInto(&raw))
	if err != nil {
		return nil, failure(ctx, err)
	}
	return parseReply(raw)
}
