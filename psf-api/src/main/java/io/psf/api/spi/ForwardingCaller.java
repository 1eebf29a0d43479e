package io.psf.api.spi;

import io.psf.api.ClusterCaller;
import io.psf.api.Member;
import io.psf.api.Pending;
import io.psf.api.Role;
import io.psf.api.TensorDeclaration;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A caller that forwards every method to another one. A subclass overrides the methods that it changes. Thread-safe if
 * the other caller is.
 */
public abstract class ForwardingCaller implements ClusterCaller, FunctionCaller {
    /** For subclasses. */
    protected ForwardingCaller() {}

    /** Returns the other caller. Called by each method. */
    protected abstract ClusterCaller to();

    @Override
    public <Q, R> Pending<R> call(Function<Q, R> function, Q request, @Nullable R into, CallOptions options) {
        return FunctionCaller.of(to()).call(function, request, into, options);
    }

    @Override
    public List<TensorLayout> declare(List<TensorDeclaration> tensors) {
        return to().declare(tensors);
    }

    @Override
    public TensorLayout layout(TensorId tensor) {
        return to().layout(tensor);
    }

    @Override
    public Map<TensorId, TensorLayout> layouts(List<TensorId> tensors) {
        return to().layouts(tensors);
    }

    @Override
    public void forget(TensorId tensor) {
        to().forget(tensor);
    }

    @Override
    public Role role() {
        return to().role();
    }

    @Override
    public int rank() {
        return to().rank();
    }

    @Override
    public int workers() {
        return to().workers();
    }

    @Override
    public boolean isLate() {
        return to().isLate();
    }

    @Override
    public boolean takeReturn() {
        return to().takeReturn();
    }

    @Override
    public List<Member> members() {
        return to().members();
    }

    @Override
    public List<Member> lost() {
        return to().lost();
    }

    @Override
    public void barrier() {
        to().barrier();
    }

    @Override
    public void barrier(Duration limit) {
        to().barrier(limit);
    }

    @Override
    public void await(TensorId tensor) {
        to().await(tensor);
    }

    @Override
    public void awaitAll() {
        to().awaitAll();
    }

    @Override
    public long notedRollback() {
        return to().notedRollback();
    }

    @Override
    public void takeRollback() {
        to().takeRollback();
    }

    @Override
    public Runnable atExit(Runnable ending) {
        return to().atExit(ending);
    }

    @Override
    public void end() {
        to().end();
    }
}
