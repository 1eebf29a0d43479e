package good;

import io.psf.api.spi.Binding;
import io.psf.api.spi.Function;
import io.psf.api.spi.HandlerProvider;
import io.psf.api.spi.ListedProvider;
import javax.annotation.processing.Generated;

/**
 * Provides {@link Kinds.Later} to a server.
 */
@Generated("io.psf.processor.PsfProcessor")
@ListedProvider
public final class Kinds_LaterPsfProvider implements HandlerProvider {
    @Override
    public Function<?, ?> function() {
        return AxpyPsf.FUNCTION;
    }

    @Override
    public String handler() {
        return "good.Kinds$Later";
    }

    @Override
    public Binding<?, ?> binding() {
        Kinds.Later handler = new Kinds.Later();
        return Binding.shardLater(AxpyPsf.FUNCTION, OnDevice.DeviceShard.class, handler,
                handler::handle);
    }

    @Override
    public int preference() {
        return 4;
    }
}
