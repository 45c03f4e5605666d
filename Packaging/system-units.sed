# Makes the units for the whole system out of those for a user: an account of its own, newsimport, fetches.
s/systemctl --user/systemctl/
/^UMask=/c\
User=newsimport\
# The store is /var/lib/newsimport/news.sqlite, the configuration /etc/newsimport/config.toml.\
Environment=XDG_DATA_HOME=/var/lib XDG_CONFIG_HOME=/etc\
StateDirectory=newsimport\
StateDirectoryMode=2750\
UMask=0027
/^# The user's service manager needs/d
/^PrivateUsers=/d
s/^ProtectHome=.*/ProtectHome=yes/
/^ReadWritePaths=/d
