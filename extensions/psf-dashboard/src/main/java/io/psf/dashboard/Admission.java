package io.psf.dashboard;

import com.sun.net.httpserver.HttpExchange;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Decides which requests of browsers are answered: those that name a host by which this one is known, so that no other
 * page reads this one through a name of its own, and have the token, if the cluster keeps strangers out.
 *
 * @param token what the address has to have; null if everybody who reaches this host may look
 * @param host the host that this one listens on
 */
record Admission(@Nullable String token, String host) {
    /** Returns a token that nobody guesses. */
    static String newToken() {
        byte[] random = new byte[16];
        new SecureRandom().nextBytes(random);
        return HexFormat.of().formatHex(random);
    }

    /**
     * True if a request names this host: by a name of loopback, a number, or the name in the setting. With a token, it may
     * name it as it likes, since another site has no token.
     */
    boolean isForThisHost(HttpExchange exchange) {
        String named =
                String.valueOf(exchange.getRequestHeaders().getFirst("Host")).replaceFirst(":\\d+$", "");
        return token != null
                || named.equals("localhost")
                || named.equals(host)
                || named.matches("[0-9.]+|\\[[0-9a-fA-F:.]+]");
    }

    /** True if a request has the token, or needs none. */
    boolean hasToken(HttpExchange exchange) {
        String query = String.valueOf(exchange.getRequestURI().getRawQuery());
        return token == null
                || MessageDigest.isEqual(
                        ("token=" + token).getBytes(StandardCharsets.UTF_8), query.getBytes(StandardCharsets.UTF_8));
    }

    /** True if a host is reached from this machine alone. */
    static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) { // listening says so
            return true;
        }
    }
}
