package redact

// HostedFolder is the folder in the home that holds the locks of hosted stores.
const HostedFolder = "hosted"
