package io.psf.runtime.internal.call;

import io.psf.api.CallListener;
import io.psf.api.CallPart;
import io.psf.api.PsException.Code;
import io.psf.runtime.spi.transport.Frame;
import org.jspecify.annotations.Nullable;

/** Tells the listeners of a client what becomes of its calls. Without a listener an event is one read. Thread-safe. */
final class CallEvents {
    /** Null if no listener was added. */
    private volatile @Nullable EventListeners<CallListener> listeners;
    /** The number by which servers know the client; -1 for none. */
    private volatile int worker = -1;

    synchronized void listen(CallListener listener) {
        listeners = EventListeners.with(listeners, listener);
    }

    void setWorker(int number) {
        worker = number;
    }

    void called(Call<?> call) {
        EventListeners<CallListener> listening = listeners;
        if (listening != null) {
            CallPart whole = of(call, -1);
            listening.forEach(each -> each.called(whole));
        }
    }

    void sent(Call<?> call, int part, int bytes) {
        EventListeners<CallListener> listening = listeners;
        if (listening != null) {
            CallPart sent = of(call, call.parts().slice(part));
            listening.forEach(each -> each.sent(sent, bytes));
        }
    }

    void received(Call<?> call, Frame answer) {
        EventListeners<CallListener> listening = listeners;
        if (listening != null) {
            CallPart received = of(call, answer.slice());
            int bytes = answer.length();
            listening.forEach(each -> each.received(received, bytes));
        }
    }

    void ended(Call<?> call, Code outcome) {
        EventListeners<CallListener> listening = listeners;
        if (listening != null) {
            long begun = call.deadline() - call.limits().timeoutNanos();
            long nanos = System.nanoTime() - begun;
            CallPart whole = of(call, -1);
            listening.forEach(each -> each.ended(whole, outcome, nanos));
        }
    }

    private CallPart of(Call<?> call, int slice) {
        var tensor = call.parts().tensor();
        return new CallPart(call.info().name(), tensor, tensor == null ? -1 : slice, worker, call.id());
    }
}
