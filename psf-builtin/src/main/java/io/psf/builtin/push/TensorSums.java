package io.psf.builtin.push;

import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The sum over several tensors that waits for some of their rounds. A tensor has one round at a time in it, since its
 * rounds close one after the other; the numbers of the rounds of two tensors may differ. The part of a call that has
 * ended is taken out. Attached to the coordinating shard, used on its lane.
 */
final class TensorSums extends WaitingCalls {
    /** As many as a cluster has, and as a tensor has. */
    private static final int MOST = 1 << 16;

    private final Shard shard;
    /** The rounds of the tensors, by the tensors' numbers. */
    private final TreeMap<Integer, OfTensor> open = new TreeMap<>();

    /** The number of the tensors; of no meaning while none has an open round. */
    private int members;

    /** The steps of the last complete sum, one of each slice: a slice whose call was cancelled asks again. */
    private Set<Long> lastSteps = Set.of();

    private double lastTotal;

    private record Part(long step, double value, CompletableFuture<SumOverTensors.Response> answer) {}

    private record OfTensor(TensorId tensor, long round, int slices, TreeMap<Integer, Part> parts) {
        void fail(PsException reason) {
            List.copyOf(parts.values()).forEach(part -> part.answer().completeExceptionally(reason));
        }
    }

    private TensorSums(Shard shard) {
        super(shard::members);
        this.shard = shard;
    }

    static TensorSums of(Shard shard) {
        return shard.attachment(TensorSums.class, () -> new TensorSums(shard));
    }

    CompletionStage<SumOverTensors.Response> add(SumOverTensors.Request request) {
        requireNotAbandoned();
        if (lastSteps.contains(request.step())) {
            return CompletableFuture.completedFuture(new SumOverTensors.Response(lastTotal));
        }
        require("tensor " + request.member() + " of " + request.members(), request.member() - 1, request.members());
        require("slice " + request.slice() + " of " + request.slices(), request.slice(), request.slices());
        CompletableFuture<SumOverTensors.Response> answer = new CompletableFuture<>();
        OfTensor tensor = tensor(request);
        Part part = new Part(request.step(), request.part(), answer);
        Part before = tensor.parts().put(request.slice(), part);
        if (before != null) {
            before.answer().completeExceptionally(superseded(request));
        }
        var unused = answer.whenComplete((total, failure) -> {
            if (failure != null
                    && tensor.parts().remove(request.slice(), part)
                    && tensor.parts().isEmpty()) {
                open.remove(request.member(), tensor);
            }
        });
        if (open.size() == members
                && open.values().stream().allMatch(each -> each.parts().size() == each.slices())) {
            complete();
        }
        return answer;
    }

    /** Returns the open round of a tensor: a new one if the tensor has none, or one of another number. */
    private OfTensor tensor(SumOverTensors.Request request) {
        OfTensor there = open.get(request.member());
        if (open.isEmpty()) {
            members = request.members();
        }
        if (members != request.members() || there != null && !there.tensor().equals(request.tensor())) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "tensor \"" + request.tensor() + "\" with a global norm: " + request.member() + " of "
                            + request.members() + " from \"" + shard.spec().id() + "\" on (expected: one of " + members
                            + (there == null ? "" : ", where \"" + there.tensor() + "\" is " + request.member())
                            + "; all specs from one call of TensorSpec.clipGlobalNorm)");
        }
        if (there != null && there.round() == request.round() && there.slices() == request.slices()) {
            return there;
        }
        OfTensor next = new OfTensor(request.tensor(), request.round(), request.slices(), new TreeMap<>());
        open.put(request.member(), next);
        if (there != null) {
            there.fail(superseded(request));
        }
        return next;
    }

    private static PsException superseded(SumOverTensors.Request request) {
        return new PsException(
                PsException.Code.UNAVAILABLE,
                "global norm: round " + request.round() + " of tensor \"" + request.tensor()
                        + "\" has come instead (expected: one round at a time; push again)");
    }

    private static void require(String what, int number, int count) {
        if (count > MOST || number < 0 || number >= count) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST, what + " (expected: one of them, at most " + MOST + ")");
        }
    }

    private void complete() {
        List<Part> parts = open.values().stream()
                .flatMap(each -> each.parts().values().stream())
                .toList();
        open.clear();
        Set<Long> steps = new HashSet<>();
        double total = 0;
        for (Part part : parts) {
            steps.add(part.step());
            total += part.value();
        }
        lastSteps = steps;
        lastTotal = total;
        SumOverTensors.Response answer = new SumOverTensors.Response(total);
        parts.forEach(part -> part.answer().complete(answer));
    }

    @Override
    protected void begin(boolean loaded, Set<Integer> workers) {
        if (loaded) {
            drop(dropped("global norm from tensor \"" + shard.spec().id() + "\" on"));
        }
    }

    @Override
    protected void changed(List<Member> members, Set<Integer> present) {}

    @Override
    protected void drop(PsException reason) {
        List<OfTensor> dropped = List.copyOf(open.values());
        open.clear();
        dropped.forEach(each -> each.fail(reason));
    }
}
