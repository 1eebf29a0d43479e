package io.psf.spark;

/**
 * An address.
 *
 * @param host a name or a number; an IPv6 number without brackets
 */
record HostPort(String host, int port) {
    /** Returns the address of a text {@code host:port}, with brackets around an IPv6 number. */
    static HostPort parse(String name, String text) {
        int colon = text.lastIndexOf(':');
        try {
            int port = Integer.parseInt(text.substring(colon + 1));
            String host = text.substring(0, Math.max(0, colon));
            if (host.startsWith("[") && host.endsWith("]")) {
                host = host.substring(1, host.length() - 1);
            }
            if (!host.isEmpty() && port > 0 && port < 1 << 16) {
                return new HostPort(host, port);
            }
        } catch (NumberFormatException e) {
            // as any other text
        }
        throw new IllegalArgumentException(name + ": " + text + " (expected: host:port)");
    }
}
