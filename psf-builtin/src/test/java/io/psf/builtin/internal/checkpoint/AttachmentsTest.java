package io.psf.builtin.internal.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.Checkpointed;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.array.LongArray;
import io.psf.api.spi.Attachments;
import io.psf.builtin.Optimizers;
import io.psf.builtin.Tensors;
import io.psf.testkit.PsfTest;
import io.psf.testkit.TestCluster;
import io.psf.testkit.TestShard;
import java.io.DataInput;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What functions keep beside a shard is saved and loaded with it, on any slices. */
class AttachmentsTest {
    private static final TensorId TENSOR = TensorId.of("visited");
    private static final LongArray ALL = LongArray.wrap(LongStream.range(0, 20).toArray());

    @TempDir
    private Path folder;

    private TestCluster on(int slices) {
        return test().tensor(TENSOR, 20, 3).on(slices);
    }

    private TestCluster growing(int slices) {
        return test().growing(TENSOR, 3).on(slices);
    }

    private PsfTest<?, ?> test() {
        return SavingFunctions.with(PsfTest.of(VisitPsf.bind(new Visit() {}))).checkpoints(folder);
    }

    private static Visit.Response visit(TestCluster cluster, LongArray keys) {
        return VisitPsf.stub(cluster).call(TENSOR, keys).await();
    }

    private static TestCluster visited(TestCluster cluster) {
        visit(cluster, LongArray.of(0, 19, 7, 7, 7));
        visit(cluster, LongArray.of(7, 13));
        return cluster;
    }

    @ParameterizedTest
    @CsvSource({"1,1", "1,3", "2,1", "2,3", "3,2", "3,7", "7,2", "7,1"})
    void rowsAndTotalsComeBackOnOtherSlices(int before, int after) {
        Tensors.save(visited(on(before)), TENSOR, "visits");
        TestCluster again = on(after);
        visit(again, ALL); // is forgotten: what is loaded is what there was
        Tensors.load(again, TENSOR, "visits");
        assertThat(visit(again, ALL)).isEqualTo(visit(visited(on(1)), ALL));
    }

    /** A total belongs to a place of its shard, which is no row of the other table. */
    @ParameterizedTest
    @CsvSource({"1,3", "3,1", "3,3", "7,2"})
    void eachTotalComesBackOnceInATableThatGrowsNoLongerOrGrowsNow(int before, int after) {
        Tensors.save(visited(growing(before)), TENSOR, "grew");
        TestCluster fixed = on(after);
        Tensors.load(fixed, TENSOR, "grew");
        assertThat(visit(fixed, ALL).all()).isEqualTo(7 + 20);
        Tensors.save(visited(on(before)), TENSOR, "grows");
        TestCluster grown = growing(after);
        Tensors.load(grown, TENSOR, "grows");
        assertThat(visit(grown, ALL).all()).isEqualTo(7 + 20);
    }

    @Test
    void whatNobodyHasAskedForSinceItWasLoadedIsSavedAgain() {
        Tensors.save(visited(on(7)), TENSOR, "visits");
        TestCluster between = on(2);
        Tensors.load(between, TENSOR, "visits");
        Tensors.save(between, TENSOR, "more/visits");
        TestCluster again = on(3);
        Tensors.load(again, TENSOR, "more/visits");
        assertThat(visit(again, ALL)).isEqualTo(visit(visited(on(1)), ALL));
    }

    @Test
    void loadingWhatHadNoAttachmentsForgetsThem() {
        Tensors.save(on(2), TENSOR, "none");
        TestCluster cluster = visited(on(2));
        Tensors.load(cluster, TENSOR, "none");
        assertThat(visit(cluster, LongArray.of(7)).all()).isEqualTo(1);
    }

    private static Attachments loaded(byte... row) {
        Attachments attachments =
                new Attachments(TestShard.whole(5, 1, Optimizers.add().create()));
        attachments.replace(Map.of(Reader.class.getName(), List.of(new Attachments.Entry(3, false, row))));
        return attachments;
    }

    private static final class Reader implements Checkpointed {
        @Override
        public void loadRow(long key, DataInput in) throws IOException {
            in.readShort();
        }
    }

    @Test
    void anAttachmentThatReadsSomethingElseThanItWroteIsNamedWithTheRow() {
        assertThatThrownBy(() -> loaded((byte) 1).get(Reader.class, Reader::new))
                .isInstanceOf(PsException.class)
                .hasMessage("STORAGE: attachment " + Reader.class.getName() + ": reading row 3 of 1 bytes:"
                        + " java.io.EOFException (expected: to read exactly the bytes that were saved)");
        assertThatThrownBy(() -> loaded((byte) 1, (byte) 2, (byte) 3).get(Reader.class, Reader::new))
                .hasMessageContaining("reading row 3 of 3 bytes: java.io.IOException: bytes not read: 1");
        assertThat(loaded((byte) 1, (byte) 2).get(Reader.class, Reader::new)).isNotNull();
    }
}
