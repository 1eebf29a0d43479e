package io.psf.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.psf.builtin.Statistics;
import io.psf.runtime.Guest;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Scheduler;
import io.psf.runtime.SchedulerConfig;
import io.psf.runtime.Server;
import io.psf.runtime.ServerConfig;
import io.psf.runtime.Tls;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import io.psf.runtime.internal.transport.tls.TlsAuthority;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a browser may ask for, and what it gets. */
@Timeout(60)
class DashboardTest {
    private final PsCluster cluster = PsCluster.builder().tcp().start();
    private final WorkerConfig config =
            WorkerConfig.of("127.0.0.1", cluster.scheduler().port());
    private final Dashboard dashboard = Dashboard.start(InetSocketAddress.createUnresolved("127.0.0.1", 0), config);
    private final HttpClient browser = HttpClient.newHttpClient();

    @AfterEach
    void end() {
        dashboard.close();
        cluster.close();
    }

    private HttpResponse<String> ask(String method, String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(dashboard.address() + path))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build();
        return browser.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private int port() {
        return URI.create(dashboard.address()).getPort();
    }

    @Test
    void thePageRunsItsOwnScriptAlone() throws Exception {
        HttpResponse<String> page = ask("GET", "");
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.headers().firstValue("Content-Security-Policy"))
                .hasValueSatisfying(policy -> assertThat(policy).startsWith("default-src 'none'; script-src 'self';"));
        for (String file : new String[] {"", "dashboard.css", "dashboard.js", "charts.js", "units.js"}) {
            assertThat(ask("GET", file).body())
                    .as(file)
                    .isNotEmpty()
                    .doesNotContain("//cdn", "http:", "https:", "style=");
        }
    }

    @Test
    void nothingCanBeChangedAndNothingElseIsThere() throws Exception {
        for (String method : new String[] {"POST", "PUT", "DELETE", "HEAD", "OPTIONS"}) {
            assertThat(ask(method, "").statusCode()).as(method).isEqualTo(405);
        }
        for (String path : new String[] {"x", "../pom.xml", "Dashboard.class", "events/x", "index.html/"}) {
            assertThat(ask("GET", path).statusCode()).as(path).isEqualTo(404);
        }
    }

    /** The name of another site may lead to this address, for its scripts to read the page. */
    @Test
    void aNameOfAnotherSiteIsRefused() throws IOException {
        for (String host : new String[] {"evil.example", "evil.example:" + port(), "localhost.evil.example"}) {
            assertThat(raw("GET /events HTTP/1.1\r\nHost: " + host + "\r\n\r\n"))
                    .startsWith("HTTP/1.1 421 ");
        }
        for (String host : new String[] {"127.0.0.1:" + port(), "localhost:" + port(), "[::1]:" + port()}) {
            assertThat(raw("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n")).startsWith("HTTP/1.1 200 ");
        }
    }

    private String raw(String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
            return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))
                    .readLine();
        }
    }

    /** The servers count what they are asked for, the dashboard's questions included. */
    @Test
    void theClusterIsAskedOnlyWhileSomebodyWatches() throws Exception {
        try (Guest guest = Guest.visit(config)) {
            var unused = Statistics.of(guest); // from now on they count
            assertThat(asked(guest)).isZero();
            try (InputStream events = browser.send(
                            HttpRequest.newBuilder(URI.create(dashboard.address() + "events"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofInputStream())
                    .body()) {
                assertThat(new BufferedReader(new InputStreamReader(events, StandardCharsets.UTF_8)).readLine())
                        .startsWith("data: {\"cluster\":{\"name\":\"\",");
                await().forever().until(() -> asked(guest) > 0);
            }
            await().forever()
                    .until(
                            () -> { // the end of a connection is noticed by a write
                                long before = asked(guest);
                                Thread.sleep(2500);
                                return asked(guest) == before;
                            });
        }
    }

    private static long asked(Guest guest) {
        return Statistics.of(guest).functions().stream()
                .filter(each -> each.function().equals("psf.report.collect"))
                .mapToLong(each -> each.count())
                .sum();
    }

    @Test
    void aClusterThatKeepsStrangersOutHasADashboardWithAToken() throws Exception {
        try (Dashboard secret = Dashboard.start(
                InetSocketAddress.createUnresolved("127.0.0.1", 0), config.withSecret("sixteen letters and more"))) {
            assertThat(secret.address()).matches("http://127\\.0\\.0\\.1:\\d+/\\?token=[0-9a-f]{32}");
            String bare = secret.address().replaceFirst("\\?.*", "");
            String right = secret.address().substring(bare.length());
            for (String wrong : new String[] {"", "?token=", "?token=0", right + "0", right.toUpperCase(Locale.ROOT)}) {
                HttpResponse<String> answer = browser.send(
                        HttpRequest.newBuilder(URI.create(bare + "events" + wrong))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
                assertThat(answer.statusCode()).as(wrong).isEqualTo(403);
                assertThat(answer.body()).startsWith("token: wrong or missing (expected: ");
            }
            HttpResponse<InputStream> answer = browser.send(
                    HttpRequest.newBuilder(URI.create(bare + "events" + right)).build(),
                    HttpResponse.BodyHandlers.ofInputStream());
            answer.body().close();
            assertThat(answer.statusCode()).isEqualTo(200);
        }
    }

    /** The browser is a program that knows the authority. */
    @Test
    void aClusterWithTlsHasADashboardByHttps(@TempDir Path folder) throws Exception {
        TlsAuthority.Issued files = new TlsAuthority(folder, "cluster").issue("node");
        Tls tls = new Tls(files.certificate(), files.key(), files.authority());
        try (Scheduler scheduler = Scheduler.start(SchedulerConfig.of(1, 1).withTls(tls))) {
            ServerConfig of = ServerConfig.of("127.0.0.1", scheduler.port()).withTls(tls);
            CompletableFuture<Server> server = CompletableFuture.supplyAsync(() -> Server.start(of));
            WorkerConfig by = WorkerConfig.of("127.0.0.1", scheduler.port()).withTls(tls);
            try (Worker worker = Worker.connect(by);
                    Dashboard page = Dashboard.start(InetSocketAddress.createUnresolved("127.0.0.1", 0), by)) {
                assertThat(page.address()).matches("https://127\\.0\\.0\\.1:\\d+/\\?token=[0-9a-f]{32}");
                HttpResponse<InputStream> events = HttpClient.newBuilder()
                        .sslContext(tls.context())
                        .build()
                        .send(
                                HttpRequest.newBuilder(URI.create(page.address().replace("/?", "/events?")))
                                        .build(),
                                HttpResponse.BodyHandlers.ofInputStream());
                try (BufferedReader lines =
                        new BufferedReader(new InputStreamReader(events.body(), StandardCharsets.UTF_8))) {
                    assertThat(lines.readLine())
                            .startsWith("data: {\"cluster\":")
                            .contains("\"role\":\"server\"");
                }
                assertThat(worker.members()).hasSize(2);
            } finally {
                server.thenAccept(Server::close);
            }
        }
    }

    @Test
    void aClusterThatKeepsNobodyOutIsShownOnThisMachineAlone() {
        assertThatThrownBy(() -> Dashboard.start(InetSocketAddress.createUnresolved("0.0.0.0", 0), config))
                .hasMessageContaining("CONFIGURATION: PSF_DASHBOARD: 0.0.0.0, without a secret and TLS")
                .hasMessageContaining("(expected: 127.0.0.1; or PSF_SECRET or TLS; or PSF_INSECURE=true");
    }

    @Test
    void anAddressInUseIsNamed() {
        assertThatThrownBy(() -> Dashboard.start(InetSocketAddress.createUnresolved("127.0.0.1", port()), config))
                .hasMessageContaining("UNAVAILABLE: PSF_DASHBOARD: listening on 127.0.0.1:" + port() + ": ");
    }
}
