package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.OpenMetrics;
import io.psf.builtin.TablePolicy;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Prometheus reads the metrics of a cluster, and accepts the alerts and the queries of the dashboard. */
final class PrometheusTest {
    private static final Path RULES =
            Path.of("..", "..", "deploy", "prometheus", "psf.yml").toAbsolutePath();
    private static final Path DASHBOARD = Path.of("..", "..", "deploy", "grafana", "psf.json");

    private final HttpClient client = HttpClient.newHttpClient();
    private int port;

    private static boolean has(String program) {
        return Stream.of(System.getenv("PATH").split(":"))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    private static HttpServer serve(OpenMetrics metrics) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/metrics", exchange -> {
            byte[] text = metrics.text().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", OpenMetrics.TYPE);
            exchange.sendResponseHeaders(200, text.length);
            exchange.getResponseBody().write(text);
            exchange.close();
        });
        server.start();
        return server;
    }

    private String ask(String path) {
        try {
            URI uri = URI.create("http://127.0.0.1:" + port + path);
            return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
        } catch (IOException e) {
            return e.toString();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private String query(String expression) {
        return ask("/api/v1/query?query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8));
    }

    private static List<String> found(Pattern pattern, String text) {
        List<String> found = new ArrayList<>();
        Matcher matcher = pattern.matcher(text);
        while (matcher.find()) {
            found.add(matcher.group(1));
        }
        return found;
    }

    /** Returns the queries of the alerts and of the dashboard. */
    private static List<String> expressions() throws IOException {
        List<String> all = found(Pattern.compile("(?m)^ *expr: (.+)$"), Files.readString(RULES));
        found(Pattern.compile("\"expr\": \"((?:[^\"\\\\]|\\\\.)+)\""), Files.readString(DASHBOARD)).stream()
                .map(each -> each.replace("\\\"", "\"").replace("$__rate_interval", "1m"))
                .forEach(all::add);
        return all;
    }

    /** A cluster in which everything that the queries name has happened; its last push waits for worker 1. */
    private static Pending<?> train(PsCluster cluster) {
        Worker worker = cluster.worker();
        TensorId table = Tensors.init(
                worker,
                TensorSpec.growing("a\"table\\", 2).policy(TablePolicy.keepAll().mostRows(2)));
        Tensors.pushRows(worker, table, new long[] {1, 3, 5}, new float[6]).await();
        Clusters.onEachWorker(cluster, each -> ModelCheckpoints.at(each, "m").save(1, Map.of()));
        TensorId w = Tensors.init(worker, TensorSpec.dense("w", 4).updates(Updates.SUM));
        return Tensors.push(worker, w, new float[4]);
    }

    @Test
    void prometheusReadsTheMetricsAndAcceptsTheQueries(@TempDir Path folder) throws Exception {
        assumeTrue(has("prometheus") && has("promtool"), "prometheus: not installed");
        Process rules = new ProcessBuilder("promtool", "check", "rules", RULES.toString())
                .redirectErrorStream(true)
                .start();
        String checked = new String(rules.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(rules.waitFor()).as(checked).isZero();
        try (PsCluster cluster = PsCluster.builder()
                .servers(1)
                .workers(2)
                .tensorMemory(1 << 30)
                .checkpoints(folder.resolve("models"))
                .start()) {
            OpenMetrics metrics = new OpenMetrics();
            cluster.servers().get(0).listen(metrics.listener());
            HttpServer server = serve(metrics);
            Pending<?> waits = train(cluster);
            Process prometheus = start(folder, server.getAddress().getPort());
            try {
                await().until(() -> query("psf_workers_awaited").contains("\"worker\":\"1\""));
                assertThat(query("psf_tensor_rows{tensor=\"a\\\"table\\\\\"}")).contains("\"value\":[");
                assertThat(ask("/api/v1/targets")).contains("\"health\":\"up\"").contains("\"lastError\":\"\"");
                String text = metrics.text();
                for (String each : expressions()) {
                    assertThat(query(each)).as(each).startsWith("{\"status\":\"success\"");
                    assertThat(found(Pattern.compile("(psf_(?!journal)[a-z_]+)"), each)) // the scheduler's
                            .allSatisfy(name -> assertThat(text).containsAnyOf("\n" + name + " ", "\n" + name + "{"));
                }
                Tensors.push(cluster.worker(1), TensorId.of("w"), new float[4]).await();
                waits.await();
            } finally {
                prometheus.destroy();
                prometheus.waitFor(10, TimeUnit.SECONDS);
                server.stop(0);
            }
        }
    }

    private Process start(Path folder, int target) throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        Path config =
                Files.writeString(folder.resolve("prometheus.yml"), String.format(Locale.ROOT, """
                global: {scrape_interval: 200ms, scrape_timeout: 200ms}
                rule_files: [%s]
                scrape_configs:
                  - job_name: psf
                    static_configs: [{targets: ['127.0.0.1:%d']}]
                """, RULES, target));
        return new ProcessBuilder(
                        "prometheus",
                        "--config.file=" + config,
                        "--storage.tsdb.path=" + folder.resolve("data"),
                        "--web.listen-address=127.0.0.1:" + port)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("prometheus.log").toFile())
                .start();
    }
}
