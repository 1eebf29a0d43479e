package io.psf.testkit;

import io.psf.api.DeclaredTensor;
import io.psf.api.PsException;
import io.psf.api.TensorDeclaration;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The tensors of a test's cluster: their declarations and their shards. */
final class TestTensors {
    private final Map<TensorId, Declared> declared = new LinkedHashMap<>();
    private final TestNodes nodes;

    TestTensors(TestNodes nodes) {
        this.nodes = nodes;
    }

    /**
     * A tensor.
     *
     * @param declaration null for a tensor that the test's cluster begins with
     */
    private record Declared(
            TensorLayout layout, String text, @Nullable TensorDeclaration declaration) {}

    /**
     * Registers a tensor, or returns the layout of an equal declaration.
     *
     * @param text everything that two declarations must agree on
     * @param declaration null for a tensor that the test's cluster begins with
     */
    TensorLayout declare(TensorLayout layout, String text, @Nullable TensorDeclaration declaration) {
        TensorId tensor = layout.info().id();
        Declared there = declared.computeIfAbsent(tensor, id -> new Declared(layout, text, declaration));
        if (!there.text().equals(text)) {
            throw new PsException(
                    PsException.Code.ALREADY_EXISTS,
                    "declaration of tensor \"" + tensor + "\": " + text + " (expected: " + there.text()
                            + ", as it was declared before; psf.clear frees the name)");
        }
        return there.layout();
    }

    void forget(TensorId tensor) {
        declared.remove(tensor);
    }

    TensorLayout layout(TensorId tensor) {
        Declared there = declared.get(tensor);
        if (there == null) {
            throw new PsException(
                    PsException.Code.UNKNOWN_TENSOR,
                    "tensor: " + tensor + " (expected: one that the test declares, with tensor(..))");
        }
        return there.layout();
    }

    DeclaredTensor declared(TensorId tensor) {
        TensorLayout layout = layout(tensor);
        TensorDeclaration declaration =
                Objects.requireNonNull(declared.get(tensor)).declaration();
        if (declaration == null) {
            throw new PsException(
                    PsException.Code.ALREADY_EXISTS,
                    "tensor: \"" + tensor
                            + "\", which the test made with tensor(..) (expected: one that was declared)");
        }
        return new DeclaredTensor(declaration, layout);
    }

    /** Returns the declared tensors that have shards. */
    List<TensorId> there() {
        return declared.keySet().stream()
                .filter(tensor -> nodes.find(tensor, 0) != null)
                .toList();
    }

    TestShard shard(TensorId tensor, int slice) {
        TestShard shard = nodes.find(tensor, slice);
        if (shard == null) {
            throw new PsException(
                    PsException.Code.UNKNOWN_TENSOR,
                    "slice " + slice + " of tensor " + tensor + ": not there (expected: a tensor that has been"
                            + " initialized and not cleared)");
        }
        return shard;
    }

    /** Returns the shards of a declared tensor, in slice order. */
    List<TestShard> shards(TensorId tensor) {
        return IntStream.range(0, layout(tensor).slices())
                .mapToObj(slice -> shard(tensor, slice))
                .toList();
    }
}
