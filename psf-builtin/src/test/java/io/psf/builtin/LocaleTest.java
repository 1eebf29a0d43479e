package io.psf.builtin;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.TensorId;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Locales whose numbers have digits of their own: no file, and no name of one, depends on the locale. */
@Timeout(60)
final class LocaleTest {
    private final Locale before = Locale.getDefault();

    @TempDir
    @SuppressWarnings("NullAway.Init") // by JUnit
    private Path directory;

    @AfterEach
    void reset() {
        Locale.setDefault(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ar-EG", "fa-IR", "bn-BD"})
    void whatIsSavedIsLoadedInAnotherLocale(String language) {
        float[] ones = {1, 1, 1, 1};
        Locale.setDefault(Locale.forLanguageTag(language));
        assertThat(String.format(Locale.getDefault(), "%d", 1)).isNotEqualTo("1");
        try (PsCluster cluster =
                PsCluster.builder().servers(2).checkpoints(directory).start()) {
            Worker worker = cluster.worker();
            TensorSpec spec = TensorSpec.dense("w", 4).optimizer(Optimizers.add());
            TensorId w = Tensors.init(worker, spec);
            ModelCheckpoints checkpoints = ModelCheckpoints.at(worker, "model").incremental(2);
            for (int step = 1; step <= 3; step++) {
                Tensors.push(worker, w, ones).await();
                checkpoints.save(step, Map.of("at", "1"));
            }
            Tensors.save(worker, w, "alone");
            Tensors.push(worker, w, ones).await();
            Locale.setDefault(Locale.ROOT);
            assertThat(checkpoints.loadLatest().orElseThrow().step()).isEqualTo(3);
            assertThat(Tensors.pull(worker, w)).containsExactly(3, 3, 3, 3);
            Tensors.push(worker, w, ones).await();
            Locale.setDefault(Locale.forLanguageTag(language));
            Tensors.load(worker, w, "alone");
            assertThat(Tensors.pull(worker, w)).containsExactly(3, 3, 3, 3);
        }
    }
}
