package io.psf.interchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.TensorId;
import io.psf.builtin.Initializers;
import io.psf.builtin.Model;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class SavedModelTest {
    private static final TensorId W = TensorId.of("layer-1/w");
    private static final TensorId TABLE = TensorId.of("e");

    @TempDir
    private Path folder;

    private Path file(String name) {
        return folder.resolve(name);
    }

    private static Map<Long, List<Float>> rows(OtherReader.Content keys, OtherReader.Content values) {
        long[] all = (long[]) keys.values();
        float[] floats = (float[]) values.values();
        assertThat(values.shape()).isEqualTo(List.of(all.length, 2));
        Map<Long, List<Float>> rows = new TreeMap<>();
        for (int i = 0; i < all.length; i++) {
            rows.put(all[i], List.of(floats[2 * i], floats[2 * i + 1]));
        }
        assertThat(rows).hasSize(all.length);
        return rows;
    }

    private static Map<Long, List<Float>> table(Map<String, OtherReader.Content> arrays) {
        return rows(Objects.requireNonNull(arrays.get("e.keys")), Objects.requireNonNull(arrays.get("e.values")));
    }

    /** The step is an increment, with removed keys. */
    @Test
    void anExportFromACheckpointHasWhatAnExportFromTheServersHas() throws IOException {
        try (PsCluster cluster =
                        PsCluster.builder().servers(2).checkpoints(folder).start();
                Worker worker = cluster.worker(0)) {
            Tensors.init(worker, TensorSpec.dense("layer-1/w", 300, 100).initializer(Initializers.normal(0, 1, 5)));
            Tensors.init(worker, TensorSpec.growing("e", 2).initializer(Initializers.uniform(-1, 1, 3)));
            long[] keys = new long[500];
            Arrays.setAll(keys, i -> i * 7_777_777_777L - 5);
            ModelCheckpoints checkpoints = ModelCheckpoints.at(worker, "m").incremental(2);
            Tensors.pushRows(worker, TABLE, keys, new float[1000]).await();
            checkpoints.save(1, Map.of());
            Tensors.removeRows(worker, TABLE, Arrays.copyOf(keys, 100)).await();
            Tensors.pushRows(worker, TABLE, new long[] {1, 2}, new float[4]).await();
            Tensors.pushRows(worker, W, new long[] {7, 299}, new float[200]).await();
            checkpoints.save(2, Map.of());
            Safetensors.save(worker, file("servers.safetensors"), W, TABLE);
            Npy.save(worker, W, file("servers.npy"));
        }
        Model model = Model.open(folder, "m");
        Safetensors.save(model, file("model.safetensors"), W, TABLE);
        Npy.save(model, W, file("model.npy"));
        Npy.save(model, TABLE, file("keys.npy"), file("values.npy"));

        Map<String, OtherReader.Content> servers = OtherReader.safetensors(file("servers.safetensors"));
        Map<String, OtherReader.Content> saved = OtherReader.safetensors(file("model.safetensors"));
        assertThat(table(saved)).hasSize(402).isEqualTo(table(servers));
        assertThat(rows(OtherReader.npy(file("keys.npy")), OtherReader.npy(file("values.npy"))))
                .isEqualTo(table(servers));
        assertThat((float[]) Objects.requireNonNull(saved.get("layer-1/w")).values())
                .isEqualTo((float[])
                        Objects.requireNonNull(servers.get("layer-1/w")).values());
        assertThat(file("model.npy")).hasSameBinaryContentAs(file("servers.npy"));
        Safetensors.save(model, file("all.safetensors"));
        assertThat(OtherReader.safetensors(file("all.safetensors")))
                .containsOnlyKeys("layer-1/w", "e.keys", "e.values");

        assertThatThrownBy(() -> Npy.save(model, TABLE, file("no.npy")))
                .hasMessageContaining("tensor \"e\": [growing, 2] (expected: a file of keys, since it grows)");
        assertThatThrownBy(() -> Safetensors.save(model, file("no.safetensors"), TensorId.of("none")))
                .hasMessageContaining("tensor \"none\": not in ");
        assertThatThrownBy(() -> Safetensors.save(model, file("none/no.safetensors")))
                .hasMessageContaining("in a folder that exists");
        assertThat(file("no.npy")).doesNotExist();
    }
}
