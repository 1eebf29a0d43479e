package io.psf.examples.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.cli.LocalJob;
import io.psf.examples.Workers;
import io.psf.examples.wordnet.WordNet;
import io.psf.runtime.PsCluster;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class WordCountTest {
    @Test
    @Tag("long")
    void itRunsAsRealProcesses() {
        List<String> lines = new CopyOnWriteArrayList<>();
        try (LocalJob job = LocalJob.builder()
                .servers(2)
                .workers(3)
                .workerMain(WordCountMain.class)
                .onLine((node, line) -> lines.add("[" + node + "] " + line))
                .start()) {
            assertThat(job.awaitExit(Duration.ofSeconds(100))).isTrue();
            assertThat(job.exitCode()).as(() -> String.join("\n", lines)).isZero();
        }
        assertThat(lines).containsSubsequence("[worker 0] the: 84490", "[worker 0] a: 81837", "[worker 0] of: 76793");
    }

    @Test
    void theCountsOfAllPortionsAreThoseOfOneProcess() {
        List<String> glosses = WordNet.glosses();
        Map<String, Long> expected = new HashMap<>();
        for (String gloss : glosses) {
            for (String word : gloss.toLowerCase(Locale.ROOT)
                    .replaceAll("[^a-z]", " ")
                    .trim()
                    .split(" +", 0)) {
                if (!word.isEmpty()) {
                    expected.merge(word, 1L, Long::sum);
                }
            }
        }
        Map<String, Long> counted = new ConcurrentHashMap<>();
        try (PsCluster cluster = PsCluster.embedded(2, 3)) {
            Workers.run(cluster, worker -> counted.putAll(WordCountMain.count(worker, glosses)));
        }
        assertThat(counted).isEqualTo(expected);
        assertThat(counted.size()).isGreaterThan(40_000);
    }
}
