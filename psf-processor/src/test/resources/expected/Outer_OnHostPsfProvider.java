package good;

import io.psf.api.spi.Binding;
import io.psf.api.spi.Function;
import io.psf.api.spi.HandlerProvider;
import io.psf.api.spi.ListedProvider;
import javax.annotation.processing.Generated;

/**
 * Provides {@link Outer.OnHost} to a server.
 */
@Generated("io.psf.processor.PsfProcessor")
@ListedProvider
public final class Outer_OnHostPsfProvider implements HandlerProvider {
    @Override
    public Function<?, ?> function() {
        return Outer_InnerPsf.FUNCTION;
    }

    @Override
    public String handler() {
        return "good.Outer$OnHost";
    }

    @Override
    public Binding<?, ?> binding() {
        return Outer_InnerPsf.bind(new Outer.OnHost());
    }
}
