package io.psf.runtime;

import io.psf.api.Member;
import org.jspecify.annotations.Nullable;

/**
 * A host and a port as written in settings.
 *
 * @param host a name or an address, an IPv6 address without its brackets
 * @param port 0 to 65535
 */
record SettingsAddress(String host, int port) {

    /** Parses {@code host:port} or {@code [ipv6]:port}. Returns null if the text is neither. */
    static @Nullable SettingsAddress parse(String text) {
        int colon = text.lastIndexOf(':');
        if (colon < 1) {
            return null;
        }
        String host = text.substring(0, colon);
        Integer port = SettingsText.wholeNumber(text.substring(colon + 1), 0, 65535);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        } else if (host.indexOf(':') >= 0) {
            return null;
        }
        boolean isHost = Checks.isHost(host) || host.equals("*"); // "*" is refused in a sentence of its own
        return port == null || !isHost ? null : new SettingsAddress(host, port);
    }

    /** Parses an address with a port, or a host alone: the port is 0 then. Returns null if the text is neither. */
    static @Nullable SettingsAddress parseWithoutPort(String text) {
        boolean isHost = text.endsWith("]") || text.indexOf(':') < 0;
        return parse(isHost ? text + ":0" : text);
    }

    /** Parses an address, or a port alone, which is one of 127.0.0.1. Returns null if the text is neither. */
    static @Nullable SettingsAddress parseWithoutHost(String text) {
        return parse(text.indexOf(':') < 0 ? "127.0.0.1:" + text : text);
    }

    /** Returns a sentence for a text that is no address: whether an IPv6 address lacks its brackets. */
    static String hint(String text) {
        int colon = text.lastIndexOf(':');
        return text.indexOf(':') < colon && text.indexOf('[') < 0
                ? ". An IPv6 address is in brackets. Did you mean [" + text.substring(0, colon) + "]"
                        + text.substring(colon) + "?"
                : "";
    }

    @Override
    public String toString() {
        return Member.address(host, port);
    }
}
