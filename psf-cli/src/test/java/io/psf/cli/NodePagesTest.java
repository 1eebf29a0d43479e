package io.psf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.NodeHealth;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Settings;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a node shows over HTTP. */
@Timeout(60)
class NodePagesTest {
    private static final NodeHealth HEALTH = new NodeHealth(true, "lives", true, "ready");

    private static HttpResponse<String> get(int port, String path) throws IOException, InterruptedException {
        URI uri = URI.create("http://127.0.0.1:" + port + path);
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }

    private static void train(PsCluster cluster) {
        Tensors.push(cluster.worker(), Tensors.init(cluster.worker(), TensorSpec.dense("w", 4)), new float[4])
                .await();
    }

    @Test
    void metricsCountFromTheStartOfTheNode() throws Exception {
        Settings settings = Settings.of(Map.of("PSF_METRICS", "0"));
        try (NodePages pages = new NodePages(settings, () -> HEALTH);
                PsCluster cluster = PsCluster.embedded(1)) {
            int port = pages.ports().get(0);
            assertThat(get(port, "/metrics").statusCode())
                    .as("before it has joined")
                    .isEqualTo(503);
            pages.show(cluster.servers().get(0)::listen);
            train(cluster);
            HttpResponse<String> answer = get(port, "/metrics");
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.headers().firstValue("Content-Type"))
                    .contains("application/openmetrics-text; version=1.0.0; charset=utf-8");
            assertThat(answer.body())
                    .contains("psf_requests_total{function=\"psf.dense.push\",outcome=\"OK\"} 1\n")
                    .endsWith("# EOF\n");
            assertThat(get(port, "/live").statusCode()).as("no probe there").isEqualTo(404);
        }
    }

    @Test
    void theAddressOfProbesHasMetricsFromTheFirstTimeOn() throws Exception {
        Settings settings = Settings.of(Map.of("PSF_HEALTH", "127.0.0.1:0"));
        try (NodePages pages = new NodePages(settings, () -> HEALTH);
                PsCluster cluster = PsCluster.embedded(1)) {
            int port = pages.ports().get(0);
            pages.show(cluster.servers().get(0)::listen);
            train(cluster);
            assertThat(get(port, "/metrics").body())
                    .contains("psf_tensor_rows{tensor=\"w\"} 4\n")
                    .doesNotContain("psf_requests_total{function=\"psf.dense.push\"");
            train(cluster);
            assertThat(get(port, "/metrics").body())
                    .contains("psf_requests_total{function=\"psf.dense.push\",outcome=\"OK\"} 1\n");
            assertThat(get(port, "/live").body()).isEqualTo("lives\n");
        }
    }

    @Test
    void aNodeWithoutTheSettingsListensNowhere() {
        try (NodePages pages = new NodePages(Settings.of(Map.of()), () -> HEALTH)) {
            assertThat(pages.ports()).isEmpty();
        }
    }
}
