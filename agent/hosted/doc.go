// Package hosted implements versions.Upstream for services with the memory-stores API (beta
// agent-memory-2026-07-22), through the official SDK; the service may also be `memend serve`.
// Everything else about replicas is in the engine.
//
// The SDK reads credentials and a base URL from the environment; they are used for that base URL
// alone. Any other service gets the key that $MEMEND_API_KEY holds for its host (https://host=KEY; a
// bare key is for services on this machine) and nothing of the SDK's, so no key reaches a server that
// it is not for. Credentials are not stored, no redirect is followed, and services on other machines
// must use https (package outbound).
//
// A request that may succeed later is tried up to three times; then the error states the cause. If no
// response arrived, the package determines whether the request was executed, where that is possible.
package hosted
