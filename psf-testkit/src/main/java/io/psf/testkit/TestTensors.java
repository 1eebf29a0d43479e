package io.psf.testkit;

import io.psf.api.DeclaredTensor;
import io.psf.api.PsException;
import io.psf.api.TensorDeclaration;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The tensors of a test's cluster: their declarations and their shards. */
final class TestTensors {
    private final Map<TensorId, Declared> declared = new LinkedHashMap<>();
    private final Map<TensorId, SortedMap<Integer, TestShard>> shards = new HashMap<>();

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
                            + ", as it was declared before; Tensors.clear frees the name)");
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

    /** Returns a tensor as it was declared. */
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
        return declared.keySet().stream().filter(shards::containsKey).toList();
    }

    void add(TestShard shard) {
        shards.computeIfAbsent(shard.spec().id(), id -> new TreeMap<>()).put(shard.slice(), shard);
    }

    void remove(TestShard shard) {
        shards.values().forEach(bySlice -> bySlice.remove(shard.slice(), shard));
        shards.values().removeIf(Map::isEmpty);
    }

    /** Returns the shard of a slice, or null. */
    @Nullable
    TestShard find(TensorId tensor, int slice) {
        SortedMap<Integer, TestShard> bySlice = shards.get(tensor);
        return bySlice == null ? null : bySlice.get(slice);
    }

    /** Returns the shard of a slice. */
    TestShard shard(TensorId tensor, int slice) {
        TestShard shard = find(tensor, slice);
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
        return Stream.iterate(0, slice -> slice + 1)
                .limit(layout(tensor).slices())
                .map(slice -> shard(tensor, slice))
                .toList();
    }

    /** Returns the shards of the same slice of all tensors. */
    List<TestShard> beside(int slice) {
        return shards.values().stream()
                .map(bySlice -> bySlice.get(slice))
                .filter(Objects::nonNull)
                .toList();
    }
}
