package io.psf.runtime.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.acceptance.Python;
import io.psf.api.array.FloatArray;
import io.psf.builtin.EmbeddingCache;
import io.psf.builtin.EmbeddingCache.Policy;
import io.psf.builtin.Initializers;
import io.psf.builtin.OptimizerSpec;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.cache.CacheCounters;
import io.psf.runtime.Client;
import io.psf.runtime.PsCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The cache of Python returns the rows of Java's cache, for the same bounds and the same random calls. */
@Timeout(120)
final class PythonCacheTest {
    private static final int CASES = 30;
    private static final int STEPS = 60;
    private static final int ROWS = 80;
    private static final int WIDTH = 3;

    @TempDir
    Path folder;

    private final Random random = new Random(0);

    private long[] keys() {
        long[] keys = new long[random.nextInt(40)];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = (long) (ROWS * Math.pow(random.nextDouble(), 3)); // some occur often
        }
        return keys;
    }

    private float[] gradients(int keys) {
        float[] gradients = new float[keys * WIDTH];
        for (int i = 0; i < gradients.length; i++) {
            gradients[i] = (float) random.nextGaussian();
        }
        return gradients;
    }

    /** Runs random calls of a cache, and of another one without rows. Returns them, with the rows of the look-ups. */
    private List<Object> steps(EmbeddingCache cache, EmbeddingCache other) {
        List<Object> steps = new ArrayList<>();
        for (int i = 0; i < STEPS; i++) {
            long[] keys = keys();
            float[] values = gradients(keys.length);
            String call = List.of("look_up", "look_up", "update", "update", "prefetch", "flush", "other")
                    .get(random.nextInt(7));
            switch (call) {
                case "look_up" -> cache.lookUp(keys, values);
                case "update" -> cache.update(keys, values);
                case "prefetch" -> cache.prefetch(keys);
                case "flush" -> cache.flush();
                default -> other.update(keys, values);
            }
            steps.add(List.of(call, keys, FloatArray.wrap(values)));
        }
        cache.flush();
        return steps;
    }

    private Map<String, Object> randomCase(Client client, int number) {
        OptimizerSpec optimizer = List.of(
                        Optimizers.add(0.5), Optimizers.sgd(0.1), Optimizers.adaGrad(0.1), Optimizers.lazyAdam(0.1))
                .get(random.nextInt(4));
        boolean grows = random.nextBoolean();
        String name = "java " + number;
        TensorSpec spec = (grows ? TensorSpec.growing(name, WIDTH) : TensorSpec.table(name, ROWS, WIDTH))
                .initializer(Initializers.constant(0.5))
                .optimizer(optimizer);
        Policy policy = Policy.values()[random.nextInt(3)];
        int rows = 1 + random.nextInt(50);
        long pullBound = random.nextInt(4) == 0 ? EmbeddingCache.UNLIMITED : random.nextInt(5);
        long pushBound = (long) random.nextInt(3) * random.nextInt(4);
        boolean show = random.nextInt(4) > 0;
        boolean bypass = random.nextInt(8) == 0;
        Map<String, Object> made = new LinkedHashMap<>();
        made.put("grows", grows);
        made.put("optimizer", optimizer.name());
        made.put("arguments", optimizer.arguments());
        made.put("policy", policy.name().toLowerCase(Locale.ROOT));
        made.put("rows", rows);
        made.put("pull_bound", pullBound);
        made.put("push_bound", pushBound);
        made.put("show_own_updates", show);
        made.put("bypass", bypass);
        try (EmbeddingCache cache = EmbeddingCache.of(client, spec)
                        .policy(policy)
                        .rows(rows)
                        .pullBound(pullBound)
                        .pushBound(pushBound)
                        .showOwnUpdates(show)
                        .bypass(bypass)
                        .open();
                EmbeddingCache other =
                        EmbeddingCache.of(client, spec).bypass(true).open()) {
            made.put("steps", steps(cache, other));
            CacheCounters done = cache.counters();
            made.put("hits", done.hits());
            made.put("counters", new long[] {
                done.rows(),
                done.misses(),
                done.stale(),
                done.prefetched(),
                done.evictions(),
                done.pushed(),
                done.sent(),
                done.received()
            });
        }
        return made;
    }

    @Test
    void theRowsOfRandomCallsAreThoseOfJavasCache() throws IOException {
        String python = Python.with("numpy");
        try (PsCluster cluster = PsCluster.builder()
                        .tcp()
                        .servers(2)
                        .workers(0)
                        .asService()
                        .start();
                Client client = cluster.client()) {
            List<Object> cases = new ArrayList<>();
            for (int i = 0; i < CASES; i++) {
                cases.add(randomCase(client, i));
            }
            Path file = Files.writeString(
                    folder.resolve("cases.json"),
                    Json.text(Json.required(Json.of(Map.of("width", WIDTH, "table", ROWS, "cases", cases)))));
            Map<String, String> settings =
                    Map.of("PSF_SCHEDULER", "127.0.0.1:" + cluster.scheduler().port());
            assertThat(Python.run(python, settings, "-m", "tests.caching", file.toString()))
                    .startsWith(CASES + " caches")
                    .doesNotContain(" 0 hits");
        }
    }
}
