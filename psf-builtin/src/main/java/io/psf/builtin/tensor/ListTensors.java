package io.psf.builtin.tensor;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.ShardBytes;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.array.FloatTypes;
import io.psf.builtin.image.Declaration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/**
 * Lists the tensors that the servers hold, with the memory that they occupy. Each shard is measured on its lane, in its
 * turn among the calls there. All lanes are asked at once.
 */
@PsFunction(value = "psf.list", at = Place.SERVER, readOnly = true)
public interface ListTensors {
    /** All tensors. */
    record Request() {}

    /**
     * The tensors.
     *
     * @param held what the servers hold, in the order of the servers
     */
    record Response(List<Held> held) {}

    /**
     * The slices of a tensor that a server holds at one placement.
     *
     * @param tensor the tensor's name
     * @param rows the number of rows that it was declared with
     * @param width the number of floats in a row
     * @param types the number formats of its values
     * @param optimizer the optimizer, as text
     * @param declaration the declaration that the shards were created with, on one line
     * @param server the rank of the server
     * @param placement the memory of the shards
     * @param slices the number of slices
     * @param present the number of rows; of a growing table the rows that exist
     * @param bytes the memory that the rows occupy
     */
    record Held(
            String tensor,
            long rows,
            int width,
            FloatTypes types,
            String optimizer,
            String declaration,
            int server,
            String placement,
            int slices,
            long present,
            ShardBytes bytes) {
        private Held plus(Held other) {
            return new Held(
                    tensor,
                    rows,
                    width,
                    types,
                    optimizer,
                    declaration,
                    server,
                    placement,
                    slices + other.slices,
                    present + other.present,
                    bytes.plus(other.bytes));
        }
    }

    /** Returns this server's tensors. A tensor that is cleared meanwhile is left out. */
    default CompletionStage<Response> handle(Request request, Node node) {
        Map<TensorId, Map<Integer, String>> placements = node.shards().stream()
                .collect(Collectors.groupingBy(
                        shard -> shard.tensor().id(),
                        Collectors.toMap(Node.ShardInfo::slice, Node.ShardInfo::placement)));
        CompletionStage<List<Held>> all = CompletableFuture.completedFuture(List.of());
        for (Map.Entry<TensorId, Map<Integer, String>> tensor : placements.entrySet()) {
            CompletionStage<List<Held>> one = node.onShards(
                            tensor.getKey(),
                            shard -> held(shard, node.rank(), tensor.getValue().getOrDefault(shard.slice(), Node.HOST)))
                    .handle((shards, failure) -> failure == null ? byPlacement(shards) : unlessCleared(failure));
            all = all.thenCombine(one, ListTensors::both);
        }
        return all.thenApply(Response::new);
    }

    private static Held held(Shard shard, int server, String placement) {
        TensorInfo tensor = shard.spec();
        return new Held(
                tensor.id().name(),
                tensor.rows(),
                tensor.width(),
                tensor.types(),
                shard.optimizer().toString(),
                Declaration.of(shard).text(),
                server,
                placement,
                1,
                shard.rows(),
                shard.bytes());
    }

    private static List<Held> byPlacement(List<Held> shards) {
        return List.copyOf(shards.stream()
                .collect(Collectors.toMap(Held::placement, shard -> shard, Held::plus))
                .values());
    }

    private static List<Held> unlessCleared(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        if (cause instanceof PsException known && known.code() == PsException.Code.UNKNOWN_TENSOR) {
            return List.of();
        }
        throw new CompletionException(cause);
    }

    private static List<Held> both(List<Held> some, List<Held> others) {
        List<Held> all = new ArrayList<>(some);
        all.addAll(others);
        return all;
    }
}
