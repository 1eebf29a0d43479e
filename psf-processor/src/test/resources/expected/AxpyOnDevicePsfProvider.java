package good;

import io.psf.api.spi.Binding;
import io.psf.api.spi.Function;
import io.psf.api.spi.HandlerProvider;
import io.psf.api.spi.ListedProvider;
import javax.annotation.processing.Generated;

/**
 * Provides {@link AxpyOnDevice} to a server.
 */
@Generated("io.psf.processor.PsfProcessor")
@ListedProvider
public final class AxpyOnDevicePsfProvider implements HandlerProvider {
    @Override
    public Function<?, ?> function() {
        return AxpyPsf.FUNCTION;
    }

    @Override
    public String handler() {
        return "good.AxpyOnDevice";
    }

    @Override
    public Binding<?, ?> binding() {
        return AxpyPsf.bind(new AxpyOnDevice());
    }

    @Override
    public int preference() {
        return 10;
    }
}
