// Whether an agent can be reached is not in the league's log: the page also looks every two seconds.
setInterval(() => document.getElementById("live").dispatchEvent(new Event("look")), 2000);
