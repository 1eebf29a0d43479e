package io.psf.acceptance;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;

/** Stages that are no {@link CompletableFuture}, as another library has them. */
final class ForeignStage {
    private ForeignStage() {}

    /**
     * The future as a stage some of whose methods are not supported.
     *
     * @param unsupported the names of the methods that throw
     */
    @SuppressWarnings("unchecked") // an interface's proxy
    static <T> CompletionStage<T> without(Set<String> unsupported, CompletableFuture<T> future) {
        return (CompletionStage<T>) Proxy.newProxyInstance(
                ForeignStage.class.getClassLoader(),
                new Class<?>[] {CompletionStage.class},
                (proxy, method, arguments) -> {
                    if (unsupported.contains(method.getName())) {
                        throw new UnsupportedOperationException(method.getName());
                    }
                    try {
                        return method.invoke(future, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** The future as a stage that runs each callback twice, and returns null from {@code whenComplete}. */
    @SuppressWarnings("unchecked") // as above, and the callback of whenComplete
    static <T> CompletionStage<T> twice(CompletableFuture<T> future) {
        return (CompletionStage<T>) Proxy.newProxyInstance(
                ForeignStage.class.getClassLoader(),
                new Class<?>[] {CompletionStage.class},
                (proxy, method, arguments) -> {
                    if (!method.getName().equals("whenComplete")) {
                        throw new UnsupportedOperationException(method.getName());
                    }
                    BiConsumer<T, Throwable> callback = (BiConsumer<T, Throwable>) arguments[0];
                    future.whenComplete((value, failure) -> {
                        callback.accept(value, failure);
                        callback.accept(value, failure);
                    });
                    return null;
                });
    }
}
