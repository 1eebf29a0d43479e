package io.psf.vector;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.array.FloatArray;
import io.psf.builtin.optimizer.AdaDelta;
import io.psf.builtin.optimizer.AdaGrad;
import io.psf.builtin.optimizer.Adam;
import io.psf.builtin.optimizer.AdamW;
import io.psf.builtin.optimizer.Add;
import io.psf.builtin.optimizer.Assign;
import io.psf.builtin.optimizer.Ftrl;
import io.psf.builtin.optimizer.Kernel;
import io.psf.builtin.optimizer.KernelProvider;
import io.psf.builtin.optimizer.LazyAdam;
import io.psf.builtin.optimizer.Momentum;
import io.psf.builtin.optimizer.Nesterov;
import io.psf.builtin.optimizer.RmsProp;
import io.psf.builtin.optimizer.Sgd;
import io.psf.builtin.optimizer.SpanKernel;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Vectors against the plain kernels, which are tested against the formulas in psf-builtin. */
class VectorKernelsTest {
    private static final int[] SIZES = {0, 1, 7, 8, 15, 16, 17, 512, 513, 5000};
    /** Elements before and after those that are stepped, and the bytes that a frame may begin with. */
    private static final int AROUND = 19;

    private final KernelProvider provider =
            ServiceLoader.load(KernelProvider.class).findFirst().orElseThrow();

    static Stream<Kernel> kernels() {
        return Stream.of(
                new Add(-1.5f),
                new Sgd(0.05f),
                new Momentum(0.05f, 0.9f),
                new Nesterov(0.05f, 0.9f),
                new AdaGrad(0.05f, 0.1f, 0.3f),
                new RmsProp(0.01f, 0.9f, 0.3f),
                new AdaDelta(0.7f, 0.95f, 0.3f),
                new Ftrl(0.1f, 1, 0.3f, 0.01f, 0),
                new Adam(0.01f, 0.9f, 0.999f, 0.3f),
                new AdamW(0.01f, 0.9f, 0.999f, 0.3f, 0.1f),
                new LazyAdam(0.01f, 0.9f, 0.999f, 0.3f));
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void stepAsThePlainKernelDoes(Kernel kernel) {
        Random random = new Random(7);
        for (int size : SIZES) {
            for (int shift = 0; shift < 4; shift++) {
                for (int steps : new int[] {1, 2, 1000, 1 << 20}) {
                    compare(kernel, size, shift, kernel.counting() == Kernel.Counting.NONE ? 0 : steps, random);
                }
            }
        }
    }

    private void compare(Kernel kernel, int size, int shift, int steps, Random random) {
        int length = size + 2 * AROUND;
        int states = kernel.state().size();
        float[] w = gaussian(random, length);
        float[] g = gaussian(random, length);
        float[][] state = new float[states][];
        FloatArray[] stateThere = new FloatArray[states];
        for (int s = 0; s < states; s++) {
            state[s] = gaussian(random, length);
            for (int i = 0; i < length; i++) {
                state[s][i] = Math.abs(state[s][i]);
            }
            stateThere[s] = offHeap(state[s], 4 * (s + shift));
        }
        FloatArray there = offHeap(w, 4 * shift);
        FloatArray gradient = offHeap(g, shift).slice(shift, length);

        SpanKernel span = requireNonNull(provider.bind(kernel, there, gradient, stateThere));
        int done = span.step(AROUND, AROUND - shift, size, steps);

        assertThat(done).as("stepped of %s", size).isBetween(Math.max(0, size - 63), size);
        kernel.step(w, g, state, AROUND, AROUND + done, steps);
        assertThat(there.toArray()).as("weights, %s elements", size).isEqualTo(w);
        for (int s = 0; s < states; s++) {
            assertThat(stateThere[s].toArray())
                    .as("%s, %s elements", kernel.state().get(s), size)
                    .isEqualTo(state[s]);
        }
    }

    @Test
    void leaveMemoryOnTheHeapToTheTiles() {
        FloatArray heap = FloatArray.allocate(100);
        FloatArray direct = offHeap(new float[100], 0);
        for (Kernel kernel : new Kernel[] {new Add(1), new Sgd(1)}) {
            assertThat(bind(kernel, heap, direct)).isNull();
            assertThat(bind(kernel, direct, heap)).isNull();
            assertThat(bind(kernel, direct, direct)).isNotNull();
        }
    }

    @Test
    void leaveAssignmentToCopies() {
        FloatArray direct = offHeap(new float[100], 0);
        assertThat(bind(new Assign(), direct, direct)).isNull();
    }

    @Test
    void leaveFtrlWithAnInitialAccumulatorToTheTiles() {
        FloatArray direct = offHeap(new float[100], 0);
        assertThat(bind(new Ftrl(0.1f, 1, 0.3f, 0.01f, 0.5f), direct, direct)).isNull();
        assertThat(bind(new Ftrl(0.1f, 1, 0.3f, 0.01f, 0), direct, direct)).isNotNull();
    }

    @Test
    void boundsAreChecked() {
        FloatArray w = offHeap(new float[64], 0);
        FloatArray g = offHeap(new float[32], 0);
        SpanKernel span = requireNonNull(bind(new Sgd(1), w, g));
        assertThatThrownBy(() -> span.step(0, 0, 64, 0)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    private @Nullable SpanKernel bind(Kernel kernel, FloatArray w, FloatArray g) {
        return provider.bind(kernel, w, g, new FloatArray[0]);
    }

    /** A copy in memory off the heap that does not begin where vectors like it. */
    private static FloatArray offHeap(float[] values, int bytesBefore) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(bytesBefore + 4 * values.length);
        FloatArray array = FloatArray.view(bytes.position(bytesBefore));
        array.copyFrom(0, values, 0, values.length);
        return array;
    }

    private static float[] gaussian(Random random, int n) {
        float[] values = new float[n];
        for (int i = 0; i < n; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return values;
    }
}
