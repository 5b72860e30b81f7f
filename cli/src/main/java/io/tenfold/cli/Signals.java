package io.tenfold.cli;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.List;

/**
 * SIGTERM and SIGINT. Java's own way, a shutdown hook, can neither choose the exit status nor hear of a second signal, so
 * this is {@code sun.misc.Signal} (module jdk.unsupported, which stays until there is another way), by reflection, since
 * the compiler's warning about that class cannot be switched off.
 */
final class Signals {
    private Signals() {}

    /**
     * Has an action run, on a thread of the JVM's, each time one of the two signals comes, instead of the process's end.
     *
     * @throws IllegalStateException if this JVM does not let signals be handled
     */
    static void onTermination(Runnable action) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            MethodHandle run = MethodHandles.lookup().bind(action, "run", MethodType.methodType(void.class));
            Object handling =
                    MethodHandleProxies.asInterfaceInstance(handler, MethodHandles.dropArguments(run, 0, signal));
            for (String name : List.of("TERM", "INT")) {
                signal.getMethod("handle", signal, handler)
                        .invoke(null, signal.getConstructor(String.class).newInstance(name), handling);
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("signals cannot be handled", e);
        }
    }
}
