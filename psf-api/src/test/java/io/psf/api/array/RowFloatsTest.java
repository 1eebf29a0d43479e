package io.psf.api.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.spi.TupleWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RowFloatsTest {
    private static final int ROWS = 5000;

    /** A table of random values, off the heap. */
    private static FloatArray table(FloatType type, int width) {
        int size = type.isHalf() ? Short.BYTES : Float.BYTES;
        FloatArray table =
                ArrayMemory.view(ByteBuffer.allocateDirect(ROWS * width * size).order(ByteOrder.LITTLE_ENDIAN), type);
        Random random = new Random(width);
        for (int i = 0; i < table.length(); i++) {
            table.set(i, (float) random.nextGaussian());
        }
        return table;
    }

    /** Random rows of a table: as a view, and copied. */
    private record Rows(FloatArray view, FloatArray copied) {
        static Rows random(FloatArray table, int n, int width) {
            int[] rows = new Random(n).ints(n + 3L, 0, ROWS).toArray();
            FloatArray copied = FloatArray.allocate(n * width);
            copied.gather(table, rows, 3, 3 + n, width);
            return new Rows(RowFloats.of(table, rows, 3, n, width), copied);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 16, 64, 200})
    void eachWayToReadHasTheSameValues(int width) {
        for (int n : new int[] {0, 1, 7, 1000}) {
            Rows rows = Rows.random(table(FloatType.FLOAT32, width), n, width);
            FloatArray view = rows.view();
            FloatArray copied = rows.copied();
            assertThat(view.length()).isEqualTo(n * width);
            assertThat(view).isEqualTo(copied).hasSameHashCodeAs(copied);
            assertThat(view.toString()).isEqualTo(copied.toString());
            assertThat(view.toArray()).isEqualTo(copied.toArray());
            Random random = new Random(n);
            for (int i = 0; i < 30 && n > 0; i++) {
                int begin = random.nextInt(view.length());
                int end = begin + random.nextInt(view.length() - begin + 1);
                assertThat(view.get(begin)).isEqualTo(copied.get(begin));
                assertThat(view.slice(begin, end)).isEqualTo(copied.slice(begin, end));
                assertThat(view.slice(begin / width * width, end / width * width)
                                .copy())
                        .isEqualTo(copied.slice(begin / width * width, end / width * width));
                FloatArray into = FloatArray.allocate(width);
                into.gather(view, new int[] {begin / width}, 0, 1, width);
                assertThat(into).isEqualTo(copied.slice(begin / width * width, (begin / width + 1) * width));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(FloatType.class)
    void aFrameHasTheBytesOfACopy(FloatType wire) {
        for (FloatType stored : List.of(FloatType.FLOAT32, FloatType.FLOAT16)) {
            for (int width : new int[] {1, 16, 30}) {
                Rows rows = Rows.random(table(stored, width), 3000, width);
                for (int begin : new int[] {0, width, width / 2}) {
                    int end = rows.view().length() - begin;
                    ByteBuffer expected = body(wire, width, out -> out.range(rows.copied(), begin, end));
                    assertThat(body(wire, width, out -> out.range(rows.view(), begin, end)))
                            .isEqualTo(expected);
                }
            }
        }
    }

    private static ByteBuffer body(FloatType wire, int width, Consumer<TupleWriter> write) {
        TupleWriter out = new TupleWriter();
        out.ofTensor(new TensorInfo(TensorId.of("t"), ROWS, width));
        write.accept(out.as(wire));
        ByteBuffer body = ByteBuffer.allocateDirect((int) out.bodyLength()).order(ByteOrder.LITTLE_ENDIAN);
        out.writeBody(body);
        return body.flip();
    }

    @Test
    void itFollowsItsSource() {
        FloatArray table = table(FloatType.FLOAT32, 2);
        FloatArray view = RowFloats.of(table, new int[] {4, 9}, 0, 2, 2);
        table.set(19, 7);
        assertThat(view.get(3)).isEqualTo(7);
    }

    @Test
    void itCannotBeWritten() {
        FloatArray view = RowFloats.of(table(FloatType.FLOAT32, 2), new int[] {4, 9}, 0, 2, 2);
        assertThatThrownBy(() -> view.set(0, 1))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessage("write: to a view of rows, which is read-only (expected: a write to its copy())");
        assertThatThrownBy(() -> view.fill(1)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> view.scale(1)).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void rowsThatDoNotExistAreRefused() {
        FloatArray table = table(FloatType.FLOAT32, 2);
        assertThatThrownBy(() -> RowFloats.of(table, new int[] {1}, 0, 2, 2))
                .isInstanceOf(IndexOutOfBoundsException.class);
        FloatArray outside = RowFloats.of(table, new int[] {ROWS}, 0, 1, 2);
        assertThatThrownBy(() -> outside.get(0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> body(FloatType.FLOAT32, 2, out -> out.array(outside)))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }
}
