package io.psf.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.spi.CheckpointStore;
import io.psf.api.spi.CheckpointStores;
import io.psf.builtin.Model;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.util.Arrays;
import java.util.Map;
import org.jclouds.blobstore.BlobStore;
import org.jclouds.blobstore.domain.Blob;
import org.jclouds.blobstore.options.PutOptions;
import org.jclouds.blobstore.util.ForwardingBlobStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Saves on S3 while its server refuses uploads, or loses objects. */
@Timeout(120)
class LostUploadTest {
    /** Objects that fail, or are lost after a success, by the end of their names. */
    private final class Faults extends ForwardingBlobStore {
        Faults(BlobStore objects) {
            super(objects);
        }

        @Override
        public String putBlob(String container, Blob blob, PutOptions options) {
            String name = blob.getMetadata().getName();
            boolean isLost = name.endsWith(lost);
            if (isLost && fails) {
                throw new IllegalStateException("upload of " + name + ": fails, as a test says");
            }
            String tag = super.putBlob(container, blob, options);
            if (isLost) {
                removeBlob(container, name);
            }
            return tag;
        }
    }

    private volatile String lost = "none";
    private volatile boolean fails;
    private S3Server s3;

    @BeforeEach
    void start() throws Exception {
        s3 = new S3Server(Faults::new);
    }

    @AfterEach
    void stop() {
        s3.close();
    }

    @ParameterizedTest
    @CsvSource({".pack, true", ".pack, false", ".index, true", ".index, false", "/model, true", "/model, false"})
    void theCheckpointBeforeStays(String suffix, boolean isRefused) throws Exception {
        CheckpointStore store = CheckpointStores.open(S3Server.place("lost"));
        try (PsCluster cluster =
                PsCluster.builder().servers(1).checkpoints(store).start()) {
            Worker worker = cluster.worker();
            TensorId w = Tensors.init(worker, TensorSpec.table("w", 8, 2).optimizer(Optimizers.add()));
            ModelCheckpoints checkpoints = ModelCheckpoints.at(worker, "m").keep(1);
            add(worker, w);
            checkpoints.save(1, Map.of());
            add(worker, w);
            fails = isRefused;
            lost = suffix;
            assertThatThrownBy(() -> checkpoints.save(2, Map.of()))
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining("STORAGE")
                    .hasMessageContaining("m/step-000000000002");
            lost = "none";
            assertThat(Model.list(store))
                    .singleElement()
                    .extracting(Model.Step::step, Model.Step::state)
                    .containsExactly(1L, Model.State.COMPLETE);
            assertThat(checkpoints.loadLatest().orElseThrow().step()).isEqualTo(1);
            assertThat(Tensors.pull(worker, w)).containsOnly(1);
            add(worker, w);
            checkpoints.save(2, Map.of());
        }
        Model.open(store, "m", 2).verify();
    }

    private static void add(Worker worker, TensorId tensor) {
        float[] ones = new float[16];
        Arrays.fill(ones, 1);
        Tensors.push(worker, tensor, ones).await();
    }
}
