package io.psf.dashboard;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * Answers a browser: the page, its script and its style, and the events that keep it up to date. Only reads: {@code GET}
 * is the one method, and nothing in a request but the token changes an answer.
 */
final class Page implements HttpHandler {
    /** The most pages that are open at a time. */
    static final int MOST_WATCHERS = 32;

    private static final long SIGN_OF_LIFE_MILLIS = 5_000;

    private static final Map<String, String> TYPES = Map.of(
            "index.html", "text/html; charset=utf-8",
            "dashboard.css", "text/css; charset=utf-8",
            "dashboard.js", "text/javascript; charset=utf-8",
            "charts.js", "text/javascript; charset=utf-8",
            "units.js", "text/javascript; charset=utf-8");

    /** The content that the server sends for a path. */
    private record Resource(String type, byte[] body) {}

    private final Map<String, Resource> files = new TreeMap<>();
    private final Admission admission;
    private final Feed feed;

    Page(Admission admission, Feed feed) {
        this.admission = admission;
        this.feed = feed;
        TYPES.forEach((name, type) -> files.put(name, new Resource(type, read(name))));
    }

    private static byte[] read(String name) {
        try (InputStream in = Page.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + ": not found (expected: in the jar of psf-dashboard)");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            Headers headers = exchange.getResponseHeaders();
            headers.set(
                    "Content-Security-Policy",
                    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none';"
                            + " form-action 'none'; frame-ancestors 'none'");
            headers.set("X-Content-Type-Options", "nosniff");
            headers.set("Referrer-Policy", "no-referrer");
            headers.set("Cache-Control", "no-store");
            String path = exchange.getRequestURI().getPath();
            Resource file = files.get(path.equals("/") ? "index.html" : path.substring(1));
            if (!admission.isForThisHost(exchange)) {
                refuse(exchange, 421, "host: another one (expected: the host of PSF_DASHBOARD, or a number)");
            } else if (!exchange.getRequestMethod().equals("GET")) {
                refuse(exchange, 405, "method: not allowed (expected: GET)");
            } else if (path.equals("/events")) {
                events(exchange);
            } else if (file != null) {
                send(exchange, 200, file.type(), file.body());
            } else {
                refuse(exchange, 404, "path: unknown (expected: /)");
            }
        }
    }

    private static void refuse(HttpExchange exchange, int status, String why) throws IOException {
        send(exchange, status, "text/plain; charset=utf-8", (why + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private static void send(HttpExchange exchange, int status, String type, byte[] body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.sendResponseHeaders(status, -1);
        } else {
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    /** Sends the fields of the feed, and those that have changed again, until the browser goes. */
    private void events(HttpExchange exchange) throws IOException {
        if (!admission.hasToken(exchange)) {
            refuse(exchange, 403, "token: wrong or missing (expected: the address in the scheduler's log)");
        } else if (!feed.enter(MOST_WATCHERS)) {
            refuse(exchange, 503, "pages: " + (MOST_WATCHERS + 1) + " (expected: at most " + MOST_WATCHERS + ")");
        } else {
            try {
                exchange.getResponseHeaders().set("Content-Type", "text/event-stream; charset=utf-8");
                exchange.sendResponseHeaders(200, 0);
                follow(exchange.getResponseBody());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                feed.leave();
            }
        }
    }

    private void follow(OutputStream out) throws IOException, InterruptedException {
        for (long known = 0; !feed.isClosed(); ) {
            Feed.Changes changes = feed.since(known, SIGN_OF_LIFE_MILLIS);
            out.write(event(changes.fields()).getBytes(StandardCharsets.UTF_8));
            out.flush();
            known = changes.version();
        }
    }

    /** Returns fields as one event, or none as a comment, by which a browser that has gone is noticed. */
    private static String event(Map<String, String> fields) {
        return fields.isEmpty() ? ": live\n\n" : "data: " + ClusterStatus.object(fields) + "\n\n";
    }
}
