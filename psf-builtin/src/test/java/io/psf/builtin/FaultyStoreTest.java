package io.psf.builtin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.spi.FolderStore;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import io.psf.testkit.FaultyStore;
import io.psf.testkit.FaultyStore.Loss;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checkpoints of two servers in a place that fails. The values of a step are its number. */
@Timeout(120)
class FaultyStoreTest {
    private static final int ROWS = 64;

    @TempDir
    private Path folder;

    private FaultyStore store;
    private PsCluster cluster;
    private Worker worker;
    private TensorId w;
    private ModelCheckpoints checkpoints;

    @BeforeEach
    void start() {
        store = new FaultyStore(new FolderStore(folder));
        cluster = PsCluster.builder().servers(2).checkpoints(store).start();
        worker = cluster.worker();
        w = Tensors.init(worker, TensorSpec.table("w", ROWS, 2).optimizer(Optimizers.add()));
        checkpoints = ModelCheckpoints.at(worker, "m").keep(2).incremental(3);
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    /** Adds one to each value, or to one row alone. */
    private void step() {
        float[] ones = new float[ROWS * 2];
        Arrays.fill(ones, 1);
        Tensors.push(worker, w, ones).await();
    }

    /** Saves a step whose values are its number. */
    private void save(long step) {
        while (Tensors.pull(worker, w)[0] < step) {
            step();
        }
        checkpoints.save(step, Map.of());
    }

    /** Checks that a step is complete, and has its values, for a reader of the files. */
    private void requireWhole(long step) {
        Model model = Model.open(folder, "m", step);
        model.verify();
        model.rows(w, (key, values) -> assertThat(values).containsOnly((float) step));
    }

    private long loaded() {
        step(); // other values than any checkpoint's
        long loaded = checkpoints.loadLatest().orElseThrow().step();
        assertThat(Tensors.pull(worker, w)).containsOnly((float) loaded);
        return loaded;
    }

    @Test
    void aSaveThatFailsAtAnyCallLeavesTheCheckpointBefore() {
        long step = 0;
        int failed = 0;
        int call = 0;
        boolean isToFail = true;
        while (isToFail) {
            call++;
            save(++step);
            store.failAt(call);
            boolean isSaved = true;
            try {
                save(step + 1);
            } catch (PsException e) {
                assertThat(e.code()).isEqualTo(PsException.Code.STORAGE);
                assertThat(e).hasMessageContaining("as a test says");
                isSaved = false;
                failed++;
            }
            isToFail = !store.isToFail();
            store.mend();
            requireWhole(step);
            long newest = loaded();
            assertThat(newest).isEqualTo(isSaved ? step + 1 : step);
            requireWhole(newest);
            step = newest;
        }
        assertThat(failed).as("saves that have failed, of %d", call).isBetween(10, call - 1);
    }

    @ParameterizedTest
    @CsvSource({
        ".pack, GONE", ".pack, SHORT", ".pack, FAILED",
        ".index, GONE", ".index, SHORT", ".index, FAILED",
        "/model, GONE", "/model, SHORT", "/model, FAILED"
    })
    void aFileThatIsLostFailsTheSave(String suffix, Loss loss) {
        save(1);
        save(2);
        store.lose(suffix, loss);
        assertThatThrownBy(() -> save(3))
                .isInstanceOf(PsException.class)
                .satisfies(e -> assertThat(((PsException) e).code()).isEqualTo(PsException.Code.STORAGE))
                .hasMessageContaining(
                        folder.resolve("m").resolve("step-000000000003").toString());
        store.mend();
        requireWhole(2);
        requireWhole(1);
        assertThat(loaded()).isEqualTo(2);
        save(3);
        requireWhole(3);
        requireWhole(2);
    }

    /** A training loop reports a failure, and takes the next checkpoint. */
    @Test
    void aTrainingGoesOnWhenSavesFail() {
        AtomicLong most = new AtomicLong();
        long last = checkpoints.everySteps(2).run(12, step -> {
            step();
            if (step == 4) {
                store.fail();
            } else if (step == 7) {
                store.mend();
            }
            most.set(step);
        });
        assertThat(last).isEqualTo(12);
        assertThat(most.get()).isEqualTo(12);
        assertThat(Tensors.pull(worker, w)).containsOnly(12);
        requireWhole(12);
    }

    /** The steps of the workers do not wait for a store. */
    @Test
    void aTrainingGoesOnWhileAStoreIsSlow() throws InterruptedException {
        AtomicLong begun = new AtomicLong();
        long last = checkpoints.everySteps(3).run(60, step -> {
            step();
            if (begun.get() == 0 && !Model.list(folder).isEmpty()) { // the loop has waited for the first
                store.waitAtEnds();
                begun.set(step);
            } else if (step == begun.get() + 20) {
                store.awaitWaiting(); // since some step before
                assertThat(Model.open(folder, "m").step()).isLessThan(begun.get() + 1);
            } else if (step == begun.get() + 30) {
                store.mend();
                store.pass(100);
            }
        });
        assertThat(last).isEqualTo(60);
        requireWhole(60);
    }

    /** Each step builds on files of the steps before, which the store does not list. */
    @Test
    void stepsThatAreNotListedKeepTheirFiles() {
        save(1);
        save(2);
        store.listLate();
        for (long step = 3; step <= 9; step++) {
            save(step);
            requireWhole(step);
            requireWhole(step - 1);
        }
        save(9); // again: what is deleted before has files of step 8
        requireWhole(9);
        requireWhole(8);
        store.mend();
        save(10);
        requireWhole(10);
        assertThat(loaded()).isEqualTo(10);
    }
}
